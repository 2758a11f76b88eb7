// test: emulator
// The launches of a training step: buckets start while the backward pass goes on.

#include <doctest/doctest.h>

#include <algorithm>

#include <sinter/debug/communication.hpp>
#include <sinter/dist/parallel/bucket.hpp>
#include <sinter/graph/custom/host_work.hpp>
#include <sinter/runtime/host/profiler.hpp>

#include "../gpu_world.hpp"

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

// While it lives graphs are made, and not run, which takes long in the emulator.
class NoGraphLaunches {
 public:
  NoGraphLaunches() : before_(detail::cuda_driver()), table_(*before_) {
    table_.launch_graph = [](void*, void*) { return 0; };
    detail::replace_cuda_driver(&table_);
  }
  NoGraphLaunches(const NoGraphLaunches&) = delete;
  NoGraphLaunches& operator=(const NoGraphLaunches&) = delete;
  ~NoGraphLaunches() { detail::replace_cuda_driver(before_); }

 private:
  const detail::CudaDriver* before_;
  detail::CudaDriver table_;
};

// For each node, whether it runs after node `first`.
std::vector<bool> followers(const std::vector<emulator::GraphNode>& nodes, std::size_t first) {
  std::vector<bool> result(nodes.size(), false);
  for (std::size_t i = first + 1; i < nodes.size(); ++i) {
    for (const std::size_t before : nodes[i].after) {
      result[i] = result[i] || before == first || result[before];
    }
  }
  return result;
}

// The nodes that node `last` runs after.
std::vector<bool> ancestors(const std::vector<emulator::GraphNode>& nodes, std::size_t last) {
  std::vector<bool> result(nodes.size(), false);
  result[last] = true;
  for (std::size_t i = last + 1; i-- > 0;) {
    if (!result[i]) continue;
    for (const std::size_t before : nodes[i].after) result[before] = true;
  }
  result[last] = false;
  return result;
}

}  // namespace

TEST_SUITE_BEGIN("host: its buckets, and a GPU of its own");

TEST_CASE("buckets: in a graph the backward pass does not wait for them, and updates do") {
  if (!emulator::runs_kernels) return;
  OnGpu gpu;
  const NoGraphLaunches only_made;
  Deep model = [] {
    const ScopedDevice host(cpu());
    return Deep();
  }();
  nn::to(model, cuda());
  optim::SGD optimizer{.learning_rate = 0.1f};
  const auto run = compile(step, {.mode = Mode::reduce_overhead, .fullgraph = true});
  run(model, optimizer, full({16, 560}, 0.5f));
  const std::vector<emulator::GraphNode>& nodes = gpu.machine().last_graph();
  std::vector<std::size_t> buckets;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].kind == "NCCL") buckets.push_back(i);
  }
  if (size() == 1) {
    CHECK(buckets.empty());
    return;
  }
  REQUIRE(buckets.size() == 2);
  const auto after_first = followers(nodes, buckets[0]);
  const auto needed = ancestors(nodes, buckets[1]), needed_first = ancestors(nodes, buckets[0]);
  CHECK(needed[buckets[0]]);  // all ranks run them in one order
  int beside = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!needed[i] || i == buckets[0]) continue;
    CHECK(!after_first[i]);
    beside += needed_first[i] ? 0 : 1;
  }
  CHECK(beside > 0);  // the rest of the backward pass, while the first bucket is reduced
  const auto after_second = followers(nodes, buckets[1]);
  CHECK(std::count(after_second.begin(), after_second.end(), true) > 0);
  CHECK(emulator::nccl_work().captured == 2);
}

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
  CHECK(order.find("sk") != std::string::npos);  // the backward pass continues after a start
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

TEST_CASE("buckets: the gradients of several micro-batches are reduced once") {
  random::manual_seed(1);
  Deep model;
  optim::SGD optimizer{.learning_rate = 0.1f};
  const auto run = compile(
      [](Deep& net, optim::SGD& steps, const Tensor& x) {
        Gradients sum = zero_gradients(net);
        for (int i = 0; i < 3; ++i) {
          const Tensor batch = narrow(x, 0, 2 * i, 2);
          sum += value_and_grad(net, [&] { return mean(square(net(batch))); }).gradients;
        }
        dist::all_reduce(sum);
        steps.step(net, sum);
      },
      {.fullgraph = true});
  const Tensor x = elements({6, 560});
  const auto seen = profile([&] { run(model, optimizer, x); }, {.calls = 1});
  CHECK(communication(seen).collectives == (size() == 1 ? 0 : 2));  // two buckets
}

TEST_SUITE_END();
