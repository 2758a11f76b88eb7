// test: alone
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sinter/runtime/host/thread_pool.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::detail {
int default_threads();  // num_threads() calls it once
}  // namespace sinter::inline SINTER_ABI::detail::runtime::detail

using namespace sinter::detail::runtime;

namespace {

struct ScopedThreads {
  explicit ScopedThreads(int threads) { set_num_threads(threads); }
  ~ScopedThreads() { set_num_threads(0); }
};

}  // namespace

TEST_CASE("thread_pool: each thread gets its number, and the caller is thread 0") {
  for (const int threads : {1, 2, 3, 8}) {
    const ScopedThreads scoped(threads);
    std::vector<std::atomic<int>> calls(8);
    std::atomic<bool> caller_is_first = false;
    const auto caller = std::this_thread::get_id();
    auto body = [&](int thread, int count) {
      if (thread == 0) caller_is_first = std::this_thread::get_id() == caller;
      calls[static_cast<std::size_t>(thread)] += count == threads;
    };

    for (int i = 0; i < 100; ++i) run_on_threads(8, body);

    CHECK(caller_is_first);
    for (int i = 0; i < 8; ++i) {
      CHECK(calls[static_cast<std::size_t>(i)] == (i < threads ? 100 : 0));
    }
  }
}

TEST_CASE("thread_pool: a call may ask for fewer threads") {
  const ScopedThreads scoped(4);
  std::atomic<int> calls = 0, counted = 0;
  auto body = [&](int, int count) {
    ++calls;
    counted = count;
  };

  run_on_threads(2, body);
  CHECK(calls == 2);
  CHECK(counted == 2);
  run_on_threads(0, body);
  CHECK(calls == 3);
  CHECK(counted == 1);
}

TEST_CASE("thread_pool: writes are visible after the call, and to other threads after a barrier") {
  const ScopedThreads scoped(4);
  long total = 0, wrong = 0;
  std::vector<long> values(4);
  for (int round = 0; round < 200; ++round) {
    Barrier barrier(4);
    std::atomic<long> bad = 0;
    auto body = [&](int thread, int count) {
      const auto me = static_cast<std::size_t>(thread);
      for (int step = 0; step < 5; ++step) {
        values[me] = thread + step;
        barrier.wait();
        if (values[(me + 1) % 4] != (thread + 1) % count + step) ++bad;
        Barrier::wait_for(&barrier);
      }
    };
    run_on_threads(4, body);
    for (const long value : values) total += value;
    wrong += bad;
  }
  CHECK(wrong == 0);
  CHECK(total == 200 * (0 + 1 + 2 + 3 + 4 * 4));
}

TEST_CASE("thread_pool: workers that went to sleep come back") {
  const ScopedThreads scoped(3);
  std::atomic<int> calls = 0;
  auto body = [&](int, int) { ++calls; };
  for (int i = 0; i < 5; ++i) {
    run_on_threads(3, body);
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  CHECK(calls == 15);
}

TEST_CASE("thread_pool: a worker does not wait for the processor of its caller") {
  cpu_set_t allowed;
  REQUIRE(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
  const ScopedThreads scoped(2);
  int at = -1;
  auto body = [&](int thread, int) {
    if (thread == 1) at = sched_getcpu();
  };
  run_on_threads(2, body);
  if (CPU_COUNT(&allowed) < 2) return;
  for (std::size_t processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (!CPU_ISSET(processor, &allowed)) continue;
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(processor, &own);
    REQUIRE(sched_setaffinity(0, sizeof(own), &own) == 0);
    run_on_threads(2, body);
    CHECK(at != static_cast<int>(processor));
  }
  CHECK(sched_setaffinity(0, sizeof(allowed), &allowed) == 0);
}

TEST_CASE("thread_pool: a worker keeps the processors that it is given later") {
  cpu_set_t allowed, own;
  REQUIRE(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
  const ScopedThreads scoped(2);
  CPU_ZERO(&own);
  std::size_t first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  CPU_SET(first, &own);
  auto give = [&](int thread, int) {
    if (thread == 1) sched_setaffinity(0, sizeof(own), &own);
  };
  run_on_threads(2, give);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // it sleeps, and is placed
    cpu_set_t found = own;
    auto ask = [&](int thread, int) {
      if (thread == 1) sched_getaffinity(0, sizeof(found), &found);
    };
    run_on_threads(2, ask);
    CHECK(CPU_EQUAL(&found, &own));
  }
  own = allowed;
  run_on_threads(2, give);
}

TEST_CASE("thread_pool: short work is done once, by the awake threads") {
  for (const int threads : {2, 3, 16}) {
    const ScopedThreads scoped(threads);
    int wrong = 0;
    for (int round = 0; round < 1000; ++round) {
      std::vector<int> values(64);
      auto body = [&](int thread, int count) {
        for (int k = thread; k < 64; k += count) ++values[static_cast<std::size_t>(k)];
      };
      run_short_on_threads(threads, body);
      if (std::count(values.begin(), values.end(), 1) != 64) ++wrong;
      if (round % 100 == 0) run_on_threads(threads, body);
      if (round % 300 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("thread_pool: an isolated short call wakes no thread, a call soon after another does") {
  const ScopedThreads scoped(2);
  int threads = 0;
  auto body = [&](int thread, int count) {
    if (thread == 0) threads = count;
  };
  run_on_threads(2, body);
  for (int i = 0; i < 1000 && threads != 1; ++i) {  // a busy machine may be late
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    run_short_on_threads(2, body);
  }
  CHECK(threads == 1);
  for (int i = 0; i < 100'000 && threads == 1; ++i) run_short_on_threads(2, body);
  CHECK(threads == 2);
}

TEST_CASE("thread_pool: short work does not wait for a thread that has not started") {
  const ScopedThreads scoped(64);  // far more than the number of cores
  std::atomic<int> calls = 0, counted = 0;
  auto body = [&](int thread, int count) {
    ++calls;
    if (thread == 0) counted += count;
  };
  run_on_threads(64, body);
  for (int i = 0; i < 200; ++i) run_short_on_threads(64, body);
  CHECK(calls == counted);
}

TEST_CASE("thread_pool: a call within a call runs alone") {
  const ScopedThreads scoped(3);
  std::atomic<int> inner_calls = 0, inner_threads = 0;
  auto inner = [&](int, int count) {
    ++inner_calls;
    inner_threads += count;
  };
  auto outer = [&](int, int) { run_on_threads(3, inner); };

  run_on_threads(3, outer);

  CHECK(inner_calls == 3);
  CHECK(inner_threads == 3);
}

TEST_CASE("thread_pool: the work of many concurrent callers is done") {
  const ScopedThreads scoped(2);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&wrong] {
      for (int round = 0; round < 300; ++round) {
        std::vector<int> values(100);
        auto body = [&](int thread, int count) {
          for (int k = thread; k < 100; k += count) ++values[static_cast<std::size_t>(k)];
        };
        run_on_threads(2, body);
        if (std::count(values.begin(), values.end(), 1) != 100) ++wrong;
      }
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK(wrong == 0);
}

TEST_CASE("thread_pool: the number of threads may change between calls, from any thread") {
  std::atomic<bool> stop = false;
  std::thread other([&] {
    for (int i = 0; !stop; ++i) set_num_threads(1 + i % 5);
  });
  std::atomic<int> wrong = 0;
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> calls = 0, threads = 0;
    auto body = [&](int, int count) {
      ++calls;
      threads = count;
    };
    run_on_threads(5, body);
    if (calls != threads) ++wrong;
  }
  stop = true;
  other.join();
  set_num_threads(0);
  CHECK(wrong == 0);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SINTER_TEST_UNDER_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_THREAD__)
#define SINTER_TEST_UNDER_THREAD_SANITIZER
#endif
#ifndef SINTER_TEST_UNDER_THREAD_SANITIZER  // ThreadSanitizer cannot start threads after a fork
TEST_CASE("thread_pool: a forked child has its own pool") {
  const ScopedThreads scoped(3);
  std::atomic<int> calls = 0;
  auto body = [&](int, int count) { calls += count; };
  auto nothing = [](int, int) {};
  run_on_threads(3, body);

  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    run_on_threads(3, body);
    run_short_on_threads(3, nothing);
    _exit(calls == 18 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  run_on_threads(3, body);

  CHECK(status == 0);
  CHECK(calls == 18);
}
#endif

TEST_CASE("thread_pool: the default is the number of cores or SINTER_NUM_THREADS") {
  CHECK(num_threads() >= 1);
  set_num_threads(7);
  CHECK(num_threads() == 7);
  set_num_threads(100'000);
  CHECK(num_threads() == 1024);
  set_num_threads(0);

  const char* const before = std::getenv("SINTER_NUM_THREADS");
  const std::string saved = before == nullptr ? "" : before;
  setenv("SINTER_NUM_THREADS", "5", 1);
  CHECK(detail::default_threads() == 5);
  setenv("SINTER_NUM_THREADS", "5000", 1);
  CHECK(detail::default_threads() == 1024);
  for (const char* const wrong : {"abc", "5x", "0", "-3", "2.5"}) {
    setenv("SINTER_NUM_THREADS", wrong, 1);
    CHECK(detail::default_threads() <= static_cast<int>(std::thread::hardware_concurrency()));
  }
  before == nullptr ? unsetenv("SINTER_NUM_THREADS")
                    : setenv("SINTER_NUM_THREADS", saved.c_str(), 1);
}

TEST_CASE("thread_pool: more threads than cores also finish") {
  const ScopedThreads scoped(16);
  std::atomic<int> calls = 0;
  for (int i = 0; i < 20; ++i) {
    Barrier barrier(16);
    auto body = [&](int, int) {
      ++calls;
      for (int k = 0; k < 5; ++k) barrier.wait();
    };
    run_on_threads(16, body);
  }
  CHECK(calls == 320);
}
