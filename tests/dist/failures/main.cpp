// main <what> <step> [gpu]: trains on all ranks, on emulated GPUs as a CUDA Graph if asked; before
// step number <step>, rank 1 does <what>. Every rank prints a line: the error that it got, and
// whether its model is as it was before the failed step, or lost with what the GPU computed.

#define DOCTEST_CONFIG_IMPLEMENT  // the emulator reports to it
#include <doctest/doctest.h>

#include <sinter/dist.hpp>
#include <sinter/sinter.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <sinter/device/host/scoped_device.hpp>

#include "../../cuda_emulator/emulator.hpp"

using namespace sinter;

namespace {

struct Net {
  nn::Embedding table{10, 6};
  nn::Linear in{6, 24}, out{24, 3};
  SINTER_MODULE(Net, table, in, out)
  Tensor forward(const Tensor& x) const { return out(gelu(in(table(x)))); }
};

Tensor step(Net& model, optim::AdamW& optimizer, const Tensor& x, const Tensor& target) {
  auto [loss, gradients] = value_and_grad(model, [&] { return cross_entropy(model(x), target); });
  dist::all_reduce(gradients);
  optimizer.step(model, gradients);
  return loss;
}

std::vector<float> elements(const Net& model) {
  std::vector<float> result;
  for (const auto& [name, parameter] : nn::named_parameters(model)) {
    for (const float one : parameter.to_vector<float>()) result.push_back(one);
  }
  return result;
}

// Rank 1, before a step. Changes the rows or the indices of the batch, or does not come back.
void do_what(const std::string& what, int& rows, int& shift) {
  if (what == "killed") std::raise(SIGKILL);
  if (what == "ends") throw std::runtime_error("a file is missing");
  if (what == "order") dist::barrier();
  if (what == "dtype") dist::all_reduce(ones({3}, f64));
  if (what == "skips") dist::all_reduce(ones({rows}));
  if (what == "graph") rows = -1;
  if (what == "index") shift = 9;
}

// "kept", "CHANGED"; "lost" if the GPU cannot be read any more.
const char* state_of(const Net& model, const std::vector<float>& before) {
  try {
    return before == elements(model) ? "kept" : "CHANGED";
  } catch (const dist::RankError&) {
    return "lost";
  }
}

// Prints the outcome; the World ends behind it.
int run(const std::string& what, int failing, const dist::World& world, Mode mode) {
  random::manual_seed(1);
  Net model;
  optim::AdamW optimizer{.learning_rate = 1e-2f};
  const auto compiled = compile(step, {.mode = mode, .fullgraph = true});
  std::vector<float> before;
  try {
    for (int i = 0; i < 8; ++i) {
      before = elements(model);
      int rows = 8, shift = 0;
      if (i == failing && world.rank() == 1) do_what(what, rows, shift);
      const Tensor x = (arange(8) + i + world.rank()) % 8 + shift;
      if (rows < 0) {
        step(model, optimizer, x, x % 3);  // eager: one all_reduce for each gradient
      } else {
        compiled(model, optimizer, x, x % 3);
      }
    }
    dist::barrier();
  } catch (const UserError& error) {
    const char* const kind = dynamic_cast<const dist::RankError*>(&error) ? "RankError" : "error";
    std::printf("rank %d: %s, model %s\n%s\n", world.rank(), kind, state_of(model, before),
                error.what());
    return 3;
  }
  std::printf("rank %d: no error\n", world.rank());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string what = argv[1];
  const bool on_gpu = argc > 3;
  if (on_gpu) new emulator::Emulator;  // it lives as long as the process
  std::optional<ScopedDevice> device;
  if (on_gpu) device.emplace(cuda());
  try {
    const dist::World world({.timeout = 8, .answer_timeout = 2});
    const Mode mode = on_gpu ? Mode::reduce_overhead : Mode::standard;
    const int result = run(what, std::atoi(argv[2]), world, mode);
    std::fflush(stdout);
    return result;
  } catch (const std::exception& error) {
    std::printf("ended: %s\n", error.what());
    return 4;
  }
}
