// test: moved
// Promise 17: compiled functions may be called from many threads at once.

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "in_threads.hpp"
#include "moved.hpp"
#include "promises/promises.hpp"
#include "sanitizers.hpp"

using namespace testing;
using sinter_test::by_device;
using sinter_test::in_threads;

namespace {

constexpr int threads = 4;

// What `body` gives in a child process, as a bool; false if it did not end well.
template <class Body>
bool in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a child that waits for a thread it does not have is a failure
    _exit(body() ? 7 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

Tensor function(const Tensor& x) { return softmax(tanh(x) * 3.0f, -1) + mean(x, {0}); }

// What the first call takes when nobody else calls.
Stats stats_alone(const Tensor& x) {
  const ScopedFreshCache fresh;
  const auto f = compile(function);
  f(x);
  CHECK(f.stats().kernels_compiled > 0);
  return f.stats();
}

}  // namespace

TEST_CASE("promise 2.17: one thread compiles a signature, the others wait for it") {
  const Tensor x = ready(randn({17, 33})), expected = ready(function(x));
  const Stats alone = stats_alone(x);
  const ScopedFreshCache fresh;
  const auto f = compile(function);
  std::atomic<int> wrong{0};
  in_threads(threads, [&](int) {
    for (int call = 0; call < 10; ++call) wrong += !near_tensor(f(x), expected);
  });
  CHECK(wrong == 0);
  CHECK(f.stats().recordings == 1);
  CHECK(f.stats().compiler_runs == alone.compiler_runs);
  CHECK(f.stats().kernels_compiled == alone.kernels_compiled);
  CHECK(f.stats().calls == 10 * threads);
}

TEST_CASE("promise 2.17: calls of many sizes and functions at once are right") {
  const auto f = compile(function);
  const auto g = compile([](const Tensor& x, const Tensor& y) { return x * y + 1.0f; });
  std::atomic<int> wrong{0};
  in_threads(threads, [&](int thread) {
    for (int call = 0; call < by_device(25, 6); ++call) {
      const int size = 2 + (7 * call + thread) % by_device(13, 3);
      const Tensor x = full({size, 5}, static_cast<float>(thread));
      wrong += !near(sum(f(x)), {size * (1 + 5.0 * thread)}, 1e-4);
      wrong += !is(g(x, x), thread * thread + 1);
    }
  });
  CHECK(wrong == 0);
  CHECK(f.stats().recordings == 2);
  CHECK(g.stats().recordings == 2);
}

TEST_CASE("promise 2.17: replays of one variant do not share state, temporaries or results") {
  const auto f = compile([](Tensor& total, const Tensor& x) {
    const Tensor row = softmax(x, -1);
    total = total + sum(row * x, {0});
    return total * 2.0f;
  });
  std::atomic<int> wrong{0};
  in_threads(threads, [&](int thread) {
    Tensor total = zeros({40});
    const Tensor x = full({40, 40}, static_cast<float>(thread + 1));
    for (int call = 1; call <= by_device(25, 8); ++call) {
      const Tensor twice = f(total, x);
      wrong += !near(total, Numbers(40, (thread + 1.0) * call), 1e-4);
      wrong += !near(twice, Numbers(40, 2 * (thread + 1.0) * call), 1e-4);
    }
  });
  CHECK(wrong == 0);
  CHECK(f.stats().recordings == 1);
}

TEST_CASE("promise 2.17: if the thread pool is busy, the caller runs alone" *
          doctest::test_suite("host: the thread pool is of the host")) {
  const auto f = compile([](const Tensor& x) { return sum(exp(x) * 2.0f, {-1}); });
  const Tensor x = ready(randn({600, 300})), expected = ready(sum(exp(x) * 2.0f, {-1}));
  set_num_threads(3);
  f(x);
  std::atomic<int> wrong{0};
  in_threads(threads, [&](int) {
    for (int call = 0; call < 10; ++call) wrong += !near_tensor(f(x), expected, 1e-4);
  });
  set_num_threads(0);
  CHECK(wrong == 0);
}

TEST_CASE("promise 2.17: forcing one tensor from many threads is safe") {
  for (int round = 0; round < by_device(20, 3); ++round) {
    const Tensor lazy = exp(full({50}, 0.0f)) * 2.0f + full({50}, static_cast<float>(round));
    const Tensor other = lazy + 1.0f;
    std::atomic<int> wrong{0};
    in_threads(threads, [&](int thread) {
      wrong += !is(thread % 2 == 0 ? lazy : other, round + 2 + thread % 2);
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE("promise 2.17: a failure in one thread is not one of the others") {
  const auto f = compile([](Tensor& state, const Tensor& table, const Tensor& index) {
    state = state + 1.0f;
    return sum(index_select(table, 0, index));
  });
  const Tensor table = ready(ones({8})), good = integers({1, 2}), bad = integers({1, 8});
  std::atomic<int> wrong{0};
  in_threads(threads, [&](int thread) {
    Tensor state = zeros({4});
    for (int call = 1; call <= 15; ++call) {
      if (thread == 0) {
        wrong +=
            message_of<IndexError>([&] { f(state, table, bad); }).find("8") == std::string::npos;
      } else {
        wrong += !is(f(state, table, good), 2);
      }
    }
    wrong += !is(state, thread == 0 ? 0 : 15);
  });
  CHECK(wrong == 0);
}

TEST_CASE("promise 2.17: statistics may be asked for at any time") {
  const auto f = compile(function);
  std::atomic<int> wrong{0};
  in_threads(threads, [&](int thread) {
    for (int call = 0; call < 10; ++call) {
      if (thread < 2) f(ones({4, 4 + call}));
      wrong += f.stats().recordings > 2;
      wrong += f.explain().graphs.size() > 1;
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("promise 2.17: after fork the child works, with the parent's functions and new ones" *
          doctest::test_suite("host: a driver that is open does not survive a fork") *
          doctest::skip(sinter_test::is_watched_for_races)) {
  const auto f = compile(function);
  const Tensor x = ready(randn({400, 300})), expected = ready(function(x));
  set_num_threads(3);
  CHECK(near_tensor(f(x), expected));
  CHECK(in_child([&] { return near_tensor(f(x), expected); }));
  CHECK(in_child([&] {
    const auto fresh = compile([](const Tensor& v) { return v * 2.0f - sin(v); });
    return near_tensor(fresh(x), x * 2.0f - sin(x)) && near_tensor(f(x), expected);
  }));
  CHECK(near_tensor(f(x), expected));
  set_num_threads(0);
}
