// test: moved
// Many threads call functions of every kind at once, while the process forks.

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "in_threads.hpp"
#include "jit/support.hpp"
#include "moved.hpp"
#include "sanitizers.hpp"

using namespace testing;
using sinter_test::by_device;
using sinter_test::in_threads;

namespace {

constexpr int threads = 16;
const int calls = by_device(20000, 160);

struct Shift {
  Tensor by = ones({3});
  SINTER_MODULE(Shift, by)
  Tensor forward(const Tensor& x) const { return x * 2.0f + by; }
};

// Whether all elements of a small tensor agree.
bool is(const Tensor& x, std::int64_t size, double value) {
  const std::vector<float> elements = x.to_vector<float>();
  if (static_cast<std::int64_t>(elements.size()) != size) return false;
  return std::all_of(elements.begin(), elements.end(),
                     [&](float element) { return std::abs(element - value) < 1e-4; });
}

std::atomic<int> inside{0}, most_inside{0};

// Waits for a limited time until another thread arrives.
void meet(const Tensor&) {
  const int now = ++inside;
  most_inside = std::max(most_inside.load(), now);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (most_inside < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  --inside;
}

}  // namespace

TEST_CASE("mixed functions: 20,000 calls of five functions, with sizes and state of each thread") {
  const ScopedFreshCache fresh;
  Shift module;
  const Tensor three = full({1}, 3.0f);
  std::atomic<int> wrong{0};
  const auto closed = compile([](const Tensor& x) { return exp(x * 0.0f) + sum(x, {-1}, true); },
                              {.recompile_limit = 50, .background = true});
  const auto shift = compile(module, {.background = true});
  const auto open = compile([three](const Tensor& x) { return x * three; });
  const auto branch = compile([](const Tensor& x) { return sum(x) > 0.0f ? x * 2.0f : x * 3.0f; });
  const auto add = compile([](Tensor& total, const Tensor& x) {
    total = total + sum(x, {0});
    return total * 1.0f;
  });
  static_cast<void>(said([&] { branch(ones({2})); }));
  in_threads(threads, [&](int thread) {
    Tensor total = zeros({3});
    double expected = 0;
    for (int call = 0; call < calls / threads; ++call) {
      const int size = 2 + (call * 7 + thread) % 5, kind = (call + thread) % 5;
      if (kind == 0) wrong += !is(closed(ones({3, size})), 3 * size, 1.0 + size);
      if (kind == 1) wrong += !is(shift(ones({size, 3})), 3 * size, 3);
      if (kind == 2) wrong += !is(open(ones({size})), size, 3);
      if (kind == 3) {
        const float sign = call % 2 == 0 ? 1.0f : -1.0f;
        wrong += !is(branch(full({size}, sign)), size, sign > 0 ? 2 : -3);
      }
      if (kind == 4) {
        expected += size;
        wrong += !is(add(total, ones({size, 3})), 3, expected) || !is(total, 3, expected);
        if (call % 50 == 0) total = zeros({3}), expected = 0;
      }
    }
  });
  wait_for_background();
  CHECK(wrong == 0);
  CHECK(closed.stats().recordings == 2);  // static, then dynamic
  CHECK(closed.stats().variants == 2);
  CHECK(closed.stats().compiler_runs == 2);
  CHECK(shift.stats().recordings == 2);
  CHECK(add.stats().recordings == 2);
  CHECK(add.stats().compiler_runs == 2);
  CHECK(add.stats().eager_calls == 0);
  CHECK(open.stats().variants == 2);
  const std::int64_t all = closed.stats().calls + shift.stats().calls + open.stats().calls +
                           branch.stats().calls + add.stats().calls;
  CHECK(all == calls + 1);
}

TEST_CASE("mixed functions: replays of one variant overlap") {
  const auto f = compile([](const Tensor& x) {
    host([](const Tensor& y) { meet(y); })(x);
    return x + 1.0f;
  });
  f.prepare(TensorSpec{{4}});
  in_threads(2, [&](int) { CHECK(is(f(ones({4})), 4, 2)); });
  CHECK(most_inside == 2);
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("mixed functions: while one function compiles, calls of compiled functions do not wait") {
  const ScopedFreshCache fresh;
  const auto f = compile([](const Tensor& x) { return tanh(x) * 2.0f; }, {.dynamic = Dynamic::off});
  f(ones({3}));
  std::atomic<bool> compiled{false};
  std::thread other([&, device = current_device()] {
    const ScopedDevice scope(device);
    f(ones({4}));
    compiled = true;
  });
  int during = 0;
  while (!compiled) during += is(f(zeros({3})), 3, 0);
  other.join();
  CHECK(during > by_device(10, 0));
}

TEST_CASE("mixed functions: a fork during calls and compilations leaves a working child" *
          doctest::test_suite("host: a driver that is open does not survive a fork") *
          doctest::skip(sinter_test::is_watched_for_races)) {
  const ScopedFreshCache fresh;
  const Tensor three = full({1}, 3.0f);
  const auto later =
      compile([](const Tensor& x) { return tanh(x) + 1.0f; },
              {.dynamic = Dynamic::off, .recompile_limit = 1000, .background = true});
  const auto open = compile([three](const Tensor& x) { return x * three; });
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  std::thread caller([&] {
    for (int size = 2; !stop; size = 2 + (size + 1) % 40) {
      wrong += !is(later(zeros({size})), size, 1) || !is(open(ones({size})), size, 3);
    }
  });
  for (int round = 0; round < 10; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      const bool right = is(later(zeros({5, round + 2})), 5 * (round + 2), 1) &&
                         is(open(ones({7})), 7, 3) && is(exp(zeros({9})), 9, 1);
      _exit(right ? 7 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
  }
  stop = true;
  caller.join();
  wait_for_background();
  CHECK(wrong == 0);
}
