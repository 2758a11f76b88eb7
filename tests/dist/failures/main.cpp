// main <what> <step> <shard> [gpu]: trains on all ranks, sharded at level <shard> (0: not sharded),
// with `gpu` on emulated GPUs as a CUDA Graph; before step number <step>, rank 1 does <what>. Every
// rank prints a line: the error that it got, and whether its model and the state of its optimizer
// are as before the failed step, or lost with what the GPU computed.

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

bool throws_late = false;  // after the gradients are computed, before parameters change

// Fails in a replay, where nothing waits for its result.
Tensor checked(const Tensor& x) {
  static const auto check = custom_op<"failures::check">(
      {.shape = [](TensorSpec given) { return given; },
       .call =
           [](std::span<const RawTensor> in, std::span<const RawTensor> out) {
             if (throws_late) throw std::runtime_error("a disk is full");
             *out[0].data<float>() = *in[0].data<float>();
           }});
  return check(x);
}

Tensor step(Net& model, optim::AdamW& optimizer, const Tensor& x, const Tensor& target) {
  auto [loss, gradients] = value_and_grad(model, [&] { return cross_entropy(model(x), target); });
  dist::all_reduce(gradients);
  const bool on_host = loss.device().is_cpu();  // a CUDA Graph has no functions of the host
  if (on_host) loss = loss + 0 * checked(sum(gradients["in.weight"]));
  optimizer.step(model, gradients);
  return loss;
}

std::vector<float> elements(const Net& model, const optim::AdamW& optimizer) {
  std::vector<float> result;
  const auto add = [&](const Tensor& x) {
    for (const float one : x.to_vector<float>()) result.push_back(one);
  };
  for (const auto& [name, parameter] : nn::named_parameters(model)) add(parameter);
  for (const auto& [name, state] : optimizer.means) add(state);
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
  if (what == "late") throws_late = true;
}

// "kept", "CHANGED"; "lost" if the GPU cannot be read any more.
const char* state_of(const Net& model, const optim::AdamW& optimizer,
                     const std::vector<float>& before) {
  try {
    return before == elements(model, optimizer) ? "kept" : "CHANGED";
  } catch (const dist::RankError&) {
    return "lost";
  }
}

// Prints the outcome, before the World ends.
int run(const std::string& what, int failing, int shard, const dist::World& world, Mode mode) {
  random::manual_seed(1);
  Net model;
  optim::AdamW optimizer{.learning_rate = 1e-2f};
  const auto compiled = compile(step, {.mode = mode, .fullgraph = true});
  if (shard > 0) dist::shard(model, optimizer, static_cast<dist::Shard>(shard));
  std::vector<float> before;
  try {
    for (int i = 0; i < 8; ++i) {
      before = elements(model, optimizer);
      int rows = 8, shift = 0;
      if (i == failing && world.rank() == 1) do_what(what, rows, shift);
      const Tensor x = (arange(8) + i + world.rank()) % 8 + shift;
      if (rows < 0) {
        step(model, optimizer, x, x % 3);  // eager: one all_reduce for each gradient
      } else {
        compiled(model, optimizer, x, x % 3);
      }
    }
    before = elements(model, optimizer);
    dist::barrier();
  } catch (const UserError& error) {
    const char* const kind = dynamic_cast<const dist::RankError*>(&error) ? "RankError" : "error";
    std::printf("rank %d: %s, model %s\n%s\n", world.rank(), kind,
                state_of(model, optimizer, before), error.what());
    return 3;
  }
  std::printf("rank %d: no error\n", world.rank());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string what = argv[1];
  const bool on_gpu = argc > 4;
  if (on_gpu) new emulator::Emulator;  // it lives as long as the process
  std::optional<ScopedDevice> device;
  if (on_gpu) device.emplace(cuda());
  try {
    const dist::World world({.timeout = 8, .answer_timeout = 2});
    const Mode mode = on_gpu ? Mode::reduce_overhead : Mode::standard;
    const int result = run(what, std::atoi(argv[2]), std::atoi(argv[3]), world, mode);
    std::fflush(stdout);
    return result;
  } catch (const std::exception& error) {
    std::printf("ended: %s\n", error.what());
    return 4;
  }
}
