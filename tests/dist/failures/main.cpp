// main <what> <step> <shard>: trains on all ranks, sharded so far (0: not at all); before step
// number <step>, rank 1 does <what>. Every rank prints a line: the error that it got, and whether
// its model and the state of its optimizer are as they were before the failed step.

#include <sinter/dist.hpp>
#include <sinter/sinter.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace sinter;

namespace {

struct Net {
  nn::Embedding table{10, 6};
  nn::Linear in{6, 24}, out{24, 3};
  SINTER_MODULE(Net, table, in, out)
  Tensor forward(const Tensor& x) const { return out(gelu(in(table(x)))); }
};

bool throws_late = false;  // behind the gradients, before the new parameters

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
  loss = loss + 0 * checked(sum(gradients["in.weight"]));
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

// Prints the outcome; the World ends behind it.
int run(const std::string& what, int failing, int shard, const dist::World& world) {
  random::manual_seed(1);
  Net model;
  optim::AdamW optimizer{.learning_rate = 1e-2f};
  const auto compiled = compile(step, {.fullgraph = true});
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
    const bool is_kept = before == elements(model, optimizer);
    const char* const kind = dynamic_cast<const dist::RankError*>(&error) ? "RankError" : "error";
    std::printf("rank %d: %s, model %s\n%s\n", world.rank(), kind, is_kept ? "kept" : "CHANGED",
                error.what());
    return 3;
  }
  std::printf("rank %d: no error\n", world.rank());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string what = argv[1];
  try {
    const dist::World world({.timeout = 8, .answer_timeout = 2});
    const int result = run(what, std::atoi(argv[2]), std::atoi(argv[3]), world);
    std::fflush(stdout);
    return result;
  } catch (const std::exception& error) {
    std::printf("ended: %s\n", error.what());
    return 4;
  }
}
