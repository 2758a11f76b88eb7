// test: moved
// Compiled functions that many threads call at once.

#include <doctest/doctest.h>

#include <atomic>

#include "in_threads.hpp"
#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;
using sinter_test::by_device;
using sinter_test::in_threads;

namespace {

constexpr int threads = 8;
const int calls = by_device(20, 4);

struct Net {
  nn::Linear in{16, 32}, out{32, 4};
  SINTER_MODULE(Net, in, out)
  Tensor forward(const Tensor& x) const { return softmax(out(relu(in(x))), -1); }
};

// The number of compiler runs of the first call in a single thread.
std::int64_t runs_alone(const Net& net, const Tensor& x) {
  const ScopedFreshCache fresh;
  const auto f = compile(net);
  f(x);
  return f.stats().compiler_runs;
}

}  // namespace

TEST_CASE("threads: many call one function, which is recorded and compiled once") {
  const Net net;
  const Tensor x = randn({33, 16}), expected = net(x);
  elements_of(expected);
  // On a GPU the kernels of products are compiled separately.
  const std::int64_t runs = by_device<std::int64_t>(1, runs_alone(net, x));
  const ScopedFreshCache fresh;
  const auto f = compile(net);
  std::atomic<int> wrong{0};
  in_threads(threads, [&](int) {
    for (int call = 0; call < calls; ++call) wrong += !near(f(x), numbers(expected), 1e-5);
  });
  CHECK(wrong == 0);
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().compiler_runs == runs);
  CHECK(f.stats().calls == calls * threads);
}

TEST_CASE("threads: each signature is recorded once, whichever thread is first") {
  const auto f = compile([](const Tensor& x) { return x * 2.0f + 1.0f; },
                         {.dynamic = Dynamic::off, .recompile_limit = 100});
  std::atomic<int> wrong{0};
  in_threads(threads, [&](int thread) {
    for (int call = 0; call < by_device(15, 5); ++call) {
      const int size = 2 + (call + thread) % 5;
      wrong += !near_tensor(f(ones({size})), full({size}, 3.0f));
    }
  });
  CHECK(wrong == 0);
  CHECK(f.stats().recordings == 5);
  CHECK(f.stats().variants == 5);
}

TEST_CASE("threads: each thread updates its own state, with one shared function") {
  const auto f = compile([](Tensor& total, const Tensor& x) {
    total = total * 0.5f + sum(x, {0}) + rand({8}) * 0.0f;
    return total * 2.0f;
  });
  std::atomic<int> wrong{0};
  in_threads(threads, [&](int thread) {
    Tensor total = zeros({8});
    const Tensor x = full({64, 8}, static_cast<float>(thread));
    double expected = 0;
    for (int call = 0; call < calls; ++call) {
      const Tensor twice = f(total, x);
      expected = 0.5 * expected + 64.0 * thread;
      wrong += !near(total, testing::Numbers(8, expected), 1e-5);
      wrong += !near(twice, testing::Numbers(8, 2 * expected), 1e-5);
    }
  });
  CHECK(wrong == 0);
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("threads: kernels that use all cores are run from several threads at once" *
          doctest::test_suite("host: its cores")) {
  const auto f = compile([](const Tensor& x) { return sum(exp(x) * 2.0f, {-1}); });
  const Tensor x = randn({512, 512}), expected = sum(exp(x) * 2.0f, {-1});
  elements_of(expected);
  std::atomic<int> wrong{0};
  in_threads(threads, [&](int) {
    for (int call = 0; call < 5; ++call) wrong += !near_tensor(f(x), expected, 1e-4);
  });
  CHECK(wrong == 0);
}

TEST_CASE("threads: several threads may read one tensor, and statistics at any time") {
  const auto f = compile([](const Tensor& x) { return x + 1.0f; });
  const Tensor lazy = ones({100}) * 2.0f;
  std::atomic<int> wrong{0};
  in_threads(threads, [&](int thread) {
    for (int call = 0; call < calls; ++call) {
      wrong += !near_tensor(f(lazy), full({100}, 3.0f));
      if (thread == 0) wrong += f.stats().recordings > 1;
      if (thread == 1) wrong += f.explain().graphs.size() > 1;
    }
  });
  CHECK(wrong == 0);
}
