// Collectives, and a training step whose gradients are shared, on the ranks that mpirun starts, one
// thread each; the peer of each rank is torch.distributed with gloo. ./run starts it.

#include <sinter/debug/communication.hpp>
#include <sinter/dist.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "measure.hpp"
#include "peer.hpp"
#include "report.hpp"

using namespace sinter;

namespace {

constexpr double sample = 10e-3;  // seconds
constexpr int pairs = 15;

// Seconds of one call of `body`. All ranks make the same number of calls, which rank 0 chooses.
template <class Body>
class Together {
 public:
  explicit Together(Body body) : body_(std::move(body)) {
    while (seconds_of(repeats_) < sample) repeats_ *= 2;
  }

  double operator()() {
    seconds_of(std::max(1, repeats_ / 2));
    return seconds_of(repeats_) / repeats_;
  }

 private:
  double seconds_of(int repeats) {
    dist::barrier();
    const double spent = bench::seconds_of(body_, repeats);
    return dist::broadcast(full({}, spent, f64)).item<double>();
  }

  Body body_;
  int repeats_ = 1;
};

class Bench {
 public:
  explicit Bench(const dist::World& world) : world_(world) {}

  // A row against each of the cases `peers`; the time alone if there is none.
  template <class Body>
  void measure(const std::string& size, const std::vector<std::string>& peers, const Body& body) {
    body();
    Together ours(body);
    bool has_peer = false;
    for (const std::string& name : peers) {
      if (!peer_.prepare(name, 1)) continue;
      has_peer = true;
      const auto times = bench::compare(ours, peer_, pairs);
      const bool is_compiled = name.find("compile") != std::string::npos;
      if (world_.rank() != 0) continue;
      report_.add(size, 1, times, is_compiled ? "gloo compile" : "gloo", 1);
    }
    if (has_peer) return;
    const double seconds = bench::median_of(ours, pairs);  // of all ranks
    if (world_.rank() != 0) return;
    std::printf("%-25s %s\n", size.c_str(),
                bench::amount_text(seconds, bench::Unit::seconds).c_str());
  }

 private:
  const dist::World& world_;
  bench::Report report_{"dist"};
  // A peer that is stopped too early still owes the others what it sends.
  bench::Peer peer_{SINTER_BENCH_DIR "/dist/gloo.py", [] { dist::barrier(); }};
};

using Block = nn::TransformerEncoderLayer;

Tensor step(Block& model, optim::AdamW& optimizer, const Tensor& x, bool shares) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
  if (shares) dist::all_reduce(gradients);
  optimizer.step(model, gradients);
  return loss;
}

// The step of a block on batch x 64 tokens of each rank.
void measure_step(const dist::World& world, Bench& bench, int batch, int width, bool shares) {
  random::manual_seed(0);
  Block model(
      width, 8,
      {.dim_feedforward = 4 * width, .dropout = 0, .batch_first = true, .norm_first = true});
  optim::AdamW optimizer{.learning_rate = 1e-4f};
  const Tensor x = randn({batch, 64, width});
  const auto run = compile(step, {.fullgraph = true});
  const auto body = [&] { run(model, optimizer, x, shares).item<float>(); };
  const std::string what = shares ? "shared" : "alone";
  const std::string sizes = std::to_string(batch) + "x64x" + std::to_string(width);
  bench.measure("step " + what + " " + sizes,
                {"step eager " + what + " " + sizes, "step compile " + what + " " + sizes}, body);
  if (!shares) return;
  const Communication seen = communication(profile(body, {.calls = 20}));
  if (world.rank() != 0) return;
  std::printf("communication of the shared step: %.2f ms, %.0f%% hidden\n", 1e3 * seen.seconds / 20,
              100 * seen.hidden());
}

}  // namespace

int main() {
  const dist::World world({.answer_timeout = 60});  // the machine may be loaded
  set_num_threads(1);
  Bench bench(world);
  for (const auto& [name, count] :
       {std::pair("1 KB", 256), std::pair("1 MB", 1 << 18), std::pair("100 MB", 25 << 20)}) {
    const Tensor x = full({count}, 1.0f);
    x.data<float>();
    bench.measure(std::string("all_reduce ") + name, {"all_reduce " + std::to_string(count)},
                  [&] { dist::all_reduce(x).data<float>(); });
  }
  for (const auto& [batch, width] : {std::pair(8, 256), std::pair(4, 512)}) {
    for (const bool shares : {false, true}) measure_step(world, bench, batch, width, shares);
  }
}
