// test: moved
// Compiling in the background: CompileOptions::background.

#include <doctest/doctest.h>
#include <sinter/jit/state/background.hpp>

#include <sys/wait.h>

#include <thread>

#include "jit/support.hpp"
#include "sanitizers.hpp"

using namespace testing;
using sinter_test::is_watched_for_leaks;
using sinter_test::is_watched_for_races;

namespace {

const auto curve = [](const Tensor& x) { return softmax(tanh(x) * 3.0f, -1) + 1.0f; };

}  // namespace

TEST_CASE("background: calls run eagerly until the compilation is done") {
  const ScopedFreshCache fresh;
  const auto f = compile(curve, {.background = true});
  const Tensor x = randn({5, 6}), expected = curve(x);
  CHECK(near_tensor(f(x), expected, 1e-5));
  CHECK(f.stats().eager_calls == 1);  // no compiler finishes in this time
  wait_for_background();
  CHECK(f.stats().compiler_runs == 1);
  const std::int64_t eager = f.stats().eager_calls;
  CHECK(near_tensor(f(x), expected, 1e-5));
  CHECK(near_tensor(f(x), expected, 1e-5));
  CHECK(f.stats().eager_calls == eager);
  CHECK(f.stats().kernels >= 1);
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().variants == 1);
}

TEST_CASE("background: state is updated before and after the compilation") {
  const ScopedFreshCache fresh;
  const auto f = compile([](Tensor& total, const Tensor& x) { return total = total + x; },
                         {.background = true});
  Tensor total = zeros({3});
  for (int i = 0; i < 3; ++i) f(total, ones({3}));
  wait_for_background();
  for (int i = 0; i < 3; ++i) f(total, ones({3}));
  CHECK(near_tensor(total, full({3}, 6.0f)));
}

TEST_CASE("background: segments of functions traced on every call are compiled") {
  const ScopedFreshCache fresh;
  const Tensor shift = ones({3});
  const auto f = compile(
      [&shift](Tensor& total, const Tensor& x) {
        total = total + x * shift;
        return sum(total) > 100.0f ? -total : total + 0.0f;
      },
      {.background = true});
  Tensor total = zeros({3});
  static_cast<void>(said([&] { f(total, ones({3})); }));
  CHECK(f.stats().eager_calls == 1);
  wait_for_background();
  CHECK(f.stats().compiler_runs >= 1);
  const std::int64_t eager = f.stats().eager_calls;
  CHECK(near_tensor(f(total, ones({3})), full({3}, 2.0f)));
  CHECK(near_tensor(total, full({3}, 2.0f)));
  CHECK(f.stats().eager_calls == eager);
  CHECK(f.stats().recompiles == 0);
}

TEST_CASE("background: each signature is compiled once, whoever requests it") {
  const ScopedFreshCache fresh;
  const auto f =
      compile(curve, {.dynamic = Dynamic::off, .recompile_limit = 50, .background = true});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 6; ++thread) {
    threads.emplace_back([&, device = current_device()] {
      const ScopedDevice scope(device);
      for (int call = 0; call < 12; ++call) {
        const Tensor x = full({2, 3 + call % 3}, 0.5f);
        wrong += !near_tensor(
            f(x), full({2, 3 + call % 3}, 1.0f + 1.0f / static_cast<float>(3 + call % 3)), 1e-5);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  wait_for_background();
  CHECK(wrong == 0);
  CHECK(f.stats().recordings == 3);
  CHECK(f.stats().variants == 3);
  CHECK(f.stats().compiler_runs == 3);
}

TEST_CASE("background: prepare waits until the compilation is done") {
  const ScopedFreshCache fresh;
  const auto f = compile(curve, {.background = true});
  f.prepare(TensorSpec{{5, 6}});
  CHECK(f.stats().compiler_runs == 1);
  f(ones({5, 6}));
  CHECK(f.stats().eager_calls == 0);
}

TEST_CASE("background: a function may be destroyed before it is compiled") {
  const ScopedFreshCache fresh;
  for (int i = 0; i < 4; ++i) {
    const auto f = compile(curve, {.background = true});
    f(ones({2, 3 + i}));
  }
  wait_for_background();
}

TEST_CASE("background: a process may exit during a compilation" *
          doctest::test_suite("host: a driver that is open does not survive a fork") *
          doctest::skip(is_watched_for_races || is_watched_for_leaks)) {
  const pid_t child = fork();
  if (child == 0) {
    const ScopedFreshCache* const fresh = new ScopedFreshCache;
    const auto f = compile(curve, {.background = true});
    f(ones({2, 3}));
    f(ones({4, 3}));
    delete fresh;
    std::exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
}

TEST_CASE("background: after fork the child compiles what the parent had not compiled" *
          doctest::test_suite("host: a driver that is open does not survive a fork") *
          doctest::skip(is_watched_for_races)) {
  const ScopedFreshCache fresh;
  const auto f = compile(curve, {.background = true});
  f(ones({2, 3}));
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    f(ones({2, 3}));
    wait_for_background();
    const std::int64_t eager = f.stats().eager_calls;
    f(ones({2, 3}));
    _exit(f.stats().eager_calls == eager ? 7 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
  wait_for_background();
  CHECK(f.stats().compiler_runs == 1);
}
