// The launches of a training step: buckets start while the backward pass goes on.

#include <doctest/doctest.h>

#include <sinter/debug/communication.hpp>
#include <sinter/graph/custom/host_work.hpp>
#include <sinter/runtime/host/profiler.hpp>

#include "../world.hpp"

using namespace sinter;
using namespace ranks;

namespace {

// Layers whose weights take 1.2 MB each: a bucket for each of them.
struct Deep {
  nn::Linear a{560, 560}, b{560, 560}, c{560, 560}, d{560, 560};
  SINTER_MODULE(Deep, a, b, c, d)
  Tensor forward(const Tensor& x) const { return d(gelu(c(gelu(b(gelu(a(x))))))); }
};

Tensor step(Deep& model, optim::SGD& optimizer, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
  dist::all_reduce(gradients);
  optimizer.step(model, gradients);
  return loss;
}

}  // namespace

TEST_CASE("buckets: they start between the kernels of the backward pass, and end before updates") {
  random::manual_seed(1);
  Deep model;
  optim::SGD optimizer{.learning_rate = 0.1f};
  const auto run = compile(step, {.fullgraph = true});
  const Tensor x = elements({16, 560});
  run(model, optimizer, x);
  auto& profiler = detail::runtime::KernelProfiler::process();
  REQUIRE(profiler.start());
  run(model, optimizer, x);
  const detail::runtime::KernelTrace trace = profiler.stop();
  std::string order;  // k: a kernel, s: a start, w: a wait
  for (const auto& one : trace.runs) {
    const bool starts = one.kernel.find("start_all_reduce") != std::string::npos;
    const bool waits = one.kernel.find("wait_all_reduce") != std::string::npos;
    const bool is_background = one.kernel.find("of a bucket") != std::string::npos;
    if (!is_background) order += starts ? 's' : waits ? 'w' : 'k';
  }
  CAPTURE(order);
  if (size() == 1) {
    CHECK(order.find_first_not_of('k') == std::string::npos);
    return;
  }
  CHECK(order.find("sk") != std::string::npos);  // the backward pass goes on behind a start
  const auto last_start = order.rfind('s'), first_wait = order.find('w');
  CHECK(last_start < first_wait);
  CHECK(order.find('k', order.rfind('w')) != std::string::npos);  // the updates
}

TEST_CASE("buckets: a profile tells collectives in the background from others, and from waits") {
  random::manual_seed(1);
  Deep model;
  optim::SGD optimizer{.learning_rate = 0.1f};
  const auto run = compile([](Deep& net, optim::SGD& steps,
                              const Tensor& x) { return dist::all_reduce(step(net, steps, x)); },
                           {.fullgraph = true});
  const Tensor x = elements({16, 560});
  const auto seen = profile([&] { run(model, optimizer, x); }, {.calls = 3});
  const Communication shared = communication(seen);
  CHECK(shared.collectives == (size() == 1 ? 3 : 3 * (2 + 1)));  // two buckets, and the loss
  CHECK(shared.in_background == (size() == 1 ? 0 : 3 * 2));
  CHECK(shared.exposed > 0);  // the loss is waited for
  CHECK(shared.exposed <= shared.seconds);
  if (size() == 1) return;
  CHECK(to_string(seen).find("9 collectives, 6 of them in the background") != std::string::npos);
  std::int64_t waits = 0;
  for (const auto& kernel : seen.kernels) {
    if (kernel.work == detail::HostWork::wait) waits += kernel.runs;
  }
  CHECK(waits == 3 * 2);
}
