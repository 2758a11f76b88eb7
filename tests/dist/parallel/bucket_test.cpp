// The launches of a training step: buckets start while the backward pass goes on.

#include <doctest/doctest.h>

#include <sinter/dist/parallel/bucket.hpp>
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

TEST_CASE("buckets: gradients are computed in them, so that no byte is copied") {
  const Unchecked unchecked;
  random::manual_seed(1);
  const std::int64_t before = memory_stats().live_bytes;
  Deep model;
  optim::SGD optimizer{.learning_rate = 0.1f};
  const auto bytes = static_cast<double>(4 * nn::parameter_count(model));
  const auto run = compile(step, {.fullgraph = true});
  const Tensor x = elements({16, 560});
  run(model, optimizer, x).to_vector<float>();
  const std::int64_t copied = detail::parallel::bytes_copied_to_buckets();
  reset_memory_stats();
  run(model, optimizer, x).to_vector<float>();
  CHECK(detail::parallel::bytes_copied_to_buckets() == copied);
  if (size() == 1) return;
  // Parameters, gradients once, and what the all_reduce of the second bucket, of three layers,
  // receives.
  const double peak = static_cast<double>(memory_stats().peak_bytes - before) / bytes;
  INFO("peak " << peak);
  CHECK(peak < 3.0);
}

TEST_CASE("buckets: a gradient that is also a result of the step is copied") {
  world();
  Deep model;
  const auto run = compile(
      [](Deep& given, const Tensor& x) {
        auto [loss, gradients] = value_and_grad(given, [&] { return mean(square(given(x))); });
        const Tensor own = gradients["b.weight"] * 1;
        dist::all_reduce(gradients, dist::Reduce::sum);
        return std::vector<Tensor>{own, gradients["b.weight"], own + 1, gradients["a.bias"]};
      },
      {.fullgraph = true});
  const Tensor x = elements({4, 560});
  for (int i = 0; i < 2; ++i) {
    const auto found = run(model, x);
    CHECK(difference(dist::all_reduce(found[0]), found[1]) < 1e-6);
    CHECK(difference(found[0] + 1, found[2]) < 1e-6);
  }
}

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
