#pragma once

#include <pthread.h>  // pthread_atfork, pthread_setaffinity_np
#include <sched.h>    // sched_getaffinity, sched_getcpu

#include <algorithm>  // std::clamp, std::min
#include <charconv>   // std::from_chars
#include <chrono>     // std::chrono::steady_clock
#include <cstdio>     // std::fopen, std::fscanf
#include <exception>  // std::exception
#include <memory>     // std::unique_ptr
#include <new>        // std::bad_alloc
#include <thread>     // std::thread
#include <utility>    // std::exchange

#include <sinter/base/env.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/text.hpp>
#include <sinter/runtime/host/blocked_signals.hpp>
#include <sinter/runtime/host/spin_wait.hpp>
#include <sinter/runtime/host/thread_pool.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

inline constexpr int max_threads = 1024;

// Whether Placement pays: not if workers have to share processors, or there are so many that the
// system finds an idle one.
SINTER_INLINE bool pays_to_place(int threads) {
  cpu_set_t allowed;
  const bool is_known = sched_getaffinity(0, sizeof(allowed), &allowed) == 0;
  return is_known && threads <= 16 && threads <= CPU_COUNT(&allowed);
}

// Puts a worker on another processor than that of the thread that calls it. With few processors,
// the system often wakes a worker on that of its caller, or leaves it there for a tenth of a
// second: it then waits until the caller has done its share, while other processors are idle.
class Placement {
 public:
  // Keeps `thread`, which is not running, off this processor, until it calls free_own_thread().
  void keep_off(int processor, std::thread& thread) {
    if (processor < 0 || processor >= CPU_SETSIZE) return;
    const pthread_t handle = thread.native_handle();
    // Asked each time: the user may have changed them since.
    if (!is_kept_off_ && pthread_getaffinity_np(handle, sizeof(allowed_), &allowed_) != 0) return;
    cpu_set_t others = allowed_;
    CPU_CLR(static_cast<std::size_t>(processor), &others);
    if (pthread_setaffinity_np(handle, sizeof(others), &others) == 0) is_kept_off_ = true;
  }

  void free_own_thread() {
    if (std::exchange(is_kept_off_, false)) sched_setaffinity(0, sizeof(allowed_), &allowed_);
  }

 private:
  cpu_set_t allowed_;
  bool is_kept_off_ = false;
};

// Worker threads that wait for work.
class ThreadPool {
 public:
  explicit ThreadPool(int threads)
      : requested_(threads),
        workers_(std::make_unique<Worker[]>(static_cast<std::size_t>(threads))) {
    const ScopedBlockedSignals scoped;
    try {
      for (size_ = 1; size_ < threads; ++size_) {
        worker(size_).thread = std::thread([this, number = size_] { serve(number); });
      }
    } catch (const std::exception&) {  // the system has no more threads: use those that started
    }
  }
  ~ThreadPool() {
    for (int i = 1; i < size_; ++i) {
      worker(i).work = {};
      call(worker(i), true);
    }
    for (int i = 1; i < size_; ++i) worker(i).thread.join();
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int requested() const { return requested_; }

  // Whether the first `threads` threads are awake.
  bool is_awake(int threads) const {
    for (int i = 1; i < std::min(threads, size_); ++i) {
      if (worker(i).sleeps.load(std::memory_order_relaxed)) return false;
    }
    return true;
  }

  void run(int threads, ThreadBody body, void* context) noexcept {
    const Work work{body, context, std::min(threads, size_)};
    start(work, true);
    body(context, 0, work.threads);
    finish(work.threads);
  }

  void run_short(int threads, bool wakes, ThreadBody body, void* context) noexcept {
    const Work work{body, context, std::min(threads, size_)};
    start(work, wakes);
    body(context, 0, work.threads);
    for (int i = 1; i < work.threads; ++i) {
      Worker& late = worker(i);
      if (!claim(late, late.calls.load(std::memory_order_relaxed) - 1)) continue;
      body(context, i, work.threads);
      unfinished_.fetch_sub(1, std::memory_order_relaxed);
    }
    finish(work.threads);
  }

 private:
  struct Work {
    ThreadBody body = nullptr;  // null: the thread ends
    void* context = nullptr;
    int threads = 0;
  };
  struct alignas(64) Worker {
    std::atomic<std::uint32_t> calls{0};    // tickets issued
    std::atomic<std::uint32_t> claimed{0};  // tickets claimed, by this thread or the caller
    std::atomic<bool> sleeps{false};
    std::atomic<int> processor{-1};  // where this thread began to wait
    Work work{};                     // of the last ticket; read by whoever claimed it
    Placement placement{};           // the same
    std::thread thread{};
  };

  Worker& worker(int number) const { return workers_[static_cast<std::size_t>(number)]; }

  static void call(Worker& worker, bool wakes) {
    worker.calls.fetch_add(1, std::memory_order_release);
    if (wakes) worker.calls.notify_one();
  }

  // Claims ticket number `call`; false if another thread has claimed it.
  static bool claim(Worker& worker, std::uint32_t call) {
    return worker.claimed.compare_exchange_strong(call, call + 1, std::memory_order_acq_rel);
  }

  void start(const Work& work, bool wakes) {
    unfinished_.store(work.threads - 1, std::memory_order_relaxed);
    for (int i = 1; i < work.threads; ++i) {
      worker(i).work = work;
      place(worker(i), wakes);
      call(worker(i), wakes);
    }
  }

  // Only a worker that is not running can be on the processor of this thread.
  void place(Worker& worker, bool wakes) const {
    if (!places_workers_) return;
    const int own = sched_getcpu();
    const bool sleeps = wakes && worker.sleeps.load(std::memory_order_relaxed);
    if (!sleeps && worker.processor.load(std::memory_order_relaxed) != own) return;
    worker.placement.keep_off(own, worker.thread);
  }

  void finish(int threads) {
    while (const int left = unfinished_.load(std::memory_order_acquire)) {
      wait_while(unfinished_, left, threads);
    }
  }

  static void wait_for_call(Worker& me, std::uint32_t seen) {
    me.processor.store(sched_getcpu(), std::memory_order_relaxed);
    if (changes_within(spin_time, me.calls, seen)) return;
    me.sleeps.store(true, std::memory_order_relaxed);
    me.calls.wait(seen, std::memory_order_acquire);
    me.sleeps.store(false, std::memory_order_relaxed);
  }

  void serve(int number) noexcept {
    Worker& me = worker(number);
    for (std::uint32_t seen = 0;; ++seen) {
      wait_for_call(me, seen);
      if (!claim(me, seen)) continue;
      me.placement.free_own_thread();
      if (me.work.body == nullptr) return;
      me.work.body(me.work.context, number, me.work.threads);
      unfinished_.fetch_sub(1, std::memory_order_release);
      unfinished_.notify_one();
    }
  }

  int requested_, size_ = 1;
  bool places_workers_ = pays_to_place(requested_);
  std::unique_ptr<Worker[]> workers_;
  alignas(64) std::atomic<int> unfinished_{0};
};

// The thread pool of this process. The call that uses it sets `busy`.
struct ProcessThreadPool {
  std::atomic<bool> busy{false};
  ThreadPool* pool = nullptr;
  std::atomic<int> wanted{0};
  std::chrono::steady_clock::time_point
      last_short{};  // end of the last short call without awake threads
};

SINTER_INLINE ProcessThreadPool& process_thread_pool() {
  static auto& state = *new ProcessThreadPool;
  // Threads do not survive a fork: the child starts new ones when it needs them, and leaks the
  // memory of the old pool.
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] {
    state.pool = nullptr;
    state.busy = false;
  });
  return state;
}

// The pool with num_threads() threads; null if memory runs out. The caller has set `busy`.
SINTER_INLINE ThreadPool* current_pool(ProcessThreadPool& state) {
  const int size = num_threads();
  if (state.pool != nullptr && state.pool->requested() == size) return state.pool;
  delete std::exchange(state.pool, nullptr);
  try {
    state.pool = new ThreadPool(size);
  } catch (const std::bad_alloc&) {  // the caller runs the work alone
  }
  return state.pool;
}

// The most threads that run what this thread starts.
SINTER_INLINE int& thread_limit() {
  static thread_local int limit = max_threads;
  return limit;
}

// The CPU quota of a container, in cores: more threads than that would be throttled.
SINTER_INLINE int cpu_quota() {
  long quota = 0, period = 0;
  if (std::FILE* const file = std::fopen("/sys/fs/cgroup/cpu.max", "re")) {
    if (std::fscanf(file, "%ld %ld", &quota, &period) != 2) quota = 0;  // "max": no limit
    std::fclose(file);
  }
  const long cores = quota > 0 && period > 0 ? (quota + period - 1) / period : max_threads;
  return static_cast<int>(std::min<long>(cores, max_threads));
}

SINTER_INLINE int default_threads() {
  const std::string_view chosen = env(Env::num_threads);
  int threads = 0;
  const auto end = std::from_chars(chosen.data(), chosen.data() + chosen.size(), threads);
  const bool is_number = end.ec == std::errc() && end.ptr == chosen.data() + chosen.size();
  if (is_number && threads >= 1) return std::min(threads, max_threads);
  if (!chosen.empty()) {
    warn(text("SINTER_NUM_THREADS=", chosen,
              " is not a number of threads, 1 to 1024; using the number of cores"));
  }
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cores, 1, cpu_quota());
}

}  // namespace detail

SINTER_INLINE void Barrier::wait() {
  const int round = round_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < threads_) {
    return detail::wait_while(round_, round, threads_);
  }
  arrived_.store(0, std::memory_order_relaxed);
  round_.store(round + 1, std::memory_order_release);
  round_.notify_all();
}

SINTER_INLINE void run_on_threads(int threads, ThreadBody body, void* context) {
  threads = std::min({threads, num_threads(), detail::thread_limit()});
  if (threads <= 1) return body(context, 0, 1);
  detail::ProcessThreadPool& state = detail::process_thread_pool();
  if (state.busy.exchange(true, std::memory_order_acquire)) return body(context, 0, 1);
  detail::ThreadPool* const pool = detail::current_pool(state);
  pool == nullptr ? body(context, 0, 1) : pool->run(threads, body, context);
  state.busy.store(false, std::memory_order_release);
}

// An isolated call is faster alone than by waking threads, which then spin for 50 us. A call soon
// after another one wakes them for the calls to come.
SINTER_INLINE void run_short_on_threads(int threads, ThreadBody body, void* context) {
  using Clock = std::chrono::steady_clock;
  threads = std::min({threads, num_threads(), detail::thread_limit()});
  if (threads <= 1) return body(context, 0, 1);
  detail::ProcessThreadPool& state = detail::process_thread_pool();
  if (state.busy.exchange(true, std::memory_order_acquire)) return body(context, 0, 1);
  if (state.pool != nullptr && state.pool->is_awake(threads)) {
    state.pool->run_short(threads, false, body, context);
  } else {
    const bool again = Clock::now() - state.last_short < detail::spin_time / 2;
    detail::ThreadPool* const pool = again ? detail::current_pool(state) : nullptr;
    pool == nullptr ? body(context, 0, 1) : pool->run_short(threads, true, body, context);
    state.last_short = Clock::now();
  }
  state.busy.store(false, std::memory_order_release);
}

SINTER_INLINE int num_threads() {
  const int wanted = detail::process_thread_pool().wanted.load(std::memory_order_relaxed);
  if (wanted != 0) return wanted;
  static const int by_default = detail::default_threads();
  return by_default;
}

SINTER_INLINE void set_num_threads(int threads) {
  detail::process_thread_pool().wanted.store(std::clamp(threads, 0, detail::max_threads),
                                             std::memory_order_relaxed);
}

SINTER_INLINE ThreadLimit::ThreadLimit(int threads) : outer_(detail::thread_limit()) {
  if (threads > 0) detail::thread_limit() = std::min(threads, outer_);
}

SINTER_INLINE ThreadLimit::~ThreadLimit() { detail::thread_limit() = outer_; }

}  // namespace sinter::inline SINTER_ABI::detail::runtime
