#pragma once

#include <pthread.h>  // pthread_atfork
#include <sched.h>    // sched_yield
#include <signal.h>   // pthread_sigmask

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
#include <sinter/runtime/team.hpp>

namespace sinter::inline SINTER_ABI::runtime {

namespace detail {

inline constexpr int most_threads = 1024;
inline constexpr std::chrono::microseconds spin_time{50};

SINTER_INLINE void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Returns when `value` is no longer `old`: soon if another core is about to change it, and without
// burning a core that others need if not.
SINTER_INLINE void wait_while(const std::atomic<int>& value, int old) {
  for (int i = 0; i < 200; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    pause_processor();
  }
  const auto end = std::chrono::steady_clock::now() + spin_time;
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 20; ++i) {
      if (value.load(std::memory_order_acquire) != old) return;
      pause_processor();
    }
    sched_yield();  // the thread that is waited for may need this core
  }
  value.wait(old, std::memory_order_acquire);
}

// Signals are for the threads of the user's program, whose handlers may not expect others.
struct ScopedNoSignals {
  ScopedNoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  ~ScopedNoSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  sigset_t before{};
};

// Threads that wait for work, and the work.
class Team {
 public:
  explicit Team(int threads)
      : asked_(threads), workers_(std::make_unique<Worker[]>(static_cast<std::size_t>(threads))) {
    const ScopedNoSignals scoped;
    try {
      for (size_ = 1; size_ < threads; ++size_) {
        worker(size_).thread = std::thread([this, number = size_] { serve(number); });
      }
    } catch (const std::exception&) {  // the system gives no more threads: these will do
    }
  }
  ~Team() {
    for (int i = 1; i < size_; ++i) {
      worker(i).stop = true;
      call(worker(i));
    }
    for (int i = 1; i < size_; ++i) worker(i).thread.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int asked() const { return asked_; }

  void run(int threads, TeamBody body, void* context) noexcept {
    threads = std::min(threads, size_);
    body_ = body;
    context_ = context;
    threads_ = threads;
    unfinished_.store(threads - 1, std::memory_order_relaxed);
    for (int i = 1; i < threads; ++i) call(worker(i));
    body(context, 0, threads);
    while (const int left = unfinished_.load(std::memory_order_acquire)) {
      wait_while(unfinished_, left);
    }
  }

 private:
  struct alignas(64) Worker {
    std::atomic<int> calls{0};  // how often there was work
    bool stop = false;
    std::thread thread{};
  };

  Worker& worker(int number) const { return workers_[static_cast<std::size_t>(number)]; }

  static void call(Worker& worker) {
    worker.calls.fetch_add(1, std::memory_order_release);
    worker.calls.notify_one();
  }

  void serve(int number) noexcept {
    for (int seen = 0;; ++seen) {
      wait_while(worker(number).calls, seen);
      if (worker(number).stop) return;
      body_(context_, number, threads_);
      unfinished_.fetch_sub(1, std::memory_order_release);
      unfinished_.notify_one();
    }
  }

  int asked_, size_ = 1;
  std::unique_ptr<Worker[]> workers_;
  TeamBody body_ = nullptr;
  void* context_ = nullptr;
  int threads_ = 0;
  alignas(64) std::atomic<int> unfinished_{0};
};

// The team of this process; `busy` is set by the call that has it.
struct TeamOfProcess {
  std::atomic<bool> busy{false};
  Team* team = nullptr;
  std::atomic<int> wanted{0};
};

SINTER_INLINE TeamOfProcess& team_of_process() {
  static auto& state = *new TeamOfProcess;
  // Threads do not survive a fork: the child starts others when it needs them, and leaves the
  // memory of the old ones alone.
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] {
    state.team = nullptr;
    state.busy = false;
  });
  return state;
}

// The cores that a container's quota pays for; more threads would only wait for each other.
SINTER_INLINE int quota_of_cores() {
  long quota = 0, period = 0;
  if (std::FILE* const file = std::fopen("/sys/fs/cgroup/cpu.max", "re")) {
    if (std::fscanf(file, "%ld %ld", &quota, &period) != 2) quota = 0;  // "max": no limit
    std::fclose(file);
  }
  const long cores = quota > 0 && period > 0 ? (quota + period - 1) / period : most_threads;
  return static_cast<int>(std::min<long>(cores, most_threads));
}

SINTER_INLINE int default_threads() {
  const std::string_view chosen = env(Env::num_threads);
  int threads = 0;
  const auto end = std::from_chars(chosen.data(), chosen.data() + chosen.size(), threads);
  if (end.ec == std::errc() && threads >= 1) return std::min(threads, most_threads);
  if (!chosen.empty()) warn(text("SINTER_NUM_THREADS=", chosen, " is no number of threads"));
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cores, 1, quota_of_cores());
}

}  // namespace detail

SINTER_INLINE void Barrier::wait() {
  const int round = round_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < threads_) {
    return detail::wait_while(round_, round);
  }
  arrived_.store(0, std::memory_order_relaxed);
  round_.store(round + 1, std::memory_order_release);
  round_.notify_all();
}

SINTER_INLINE void run_team(int threads, TeamBody body, void* context) {
  threads = std::min(threads, num_threads());
  if (threads <= 1) return body(context, 0, 1);
  detail::TeamOfProcess& state = detail::team_of_process();
  if (state.busy.exchange(true, std::memory_order_acquire)) return body(context, 0, 1);
  const int size = num_threads();
  if (state.team == nullptr || state.team->asked() != size) {
    delete std::exchange(state.team, nullptr);
    try {
      state.team = new detail::Team(size);
    } catch (const std::bad_alloc&) {  // the caller can do without
      state.busy.store(false, std::memory_order_release);
      return body(context, 0, 1);
    }
  }
  state.team->run(threads, body, context);
  state.busy.store(false, std::memory_order_release);
}

SINTER_INLINE int num_threads() {
  const int wanted = detail::team_of_process().wanted.load(std::memory_order_relaxed);
  if (wanted != 0) return wanted;
  static const int by_default = detail::default_threads();
  return by_default;
}

SINTER_INLINE void set_num_threads(int threads) {
  detail::team_of_process().wanted.store(std::clamp(threads, 0, detail::most_threads),
                                         std::memory_order_relaxed);
}

}  // namespace sinter::inline SINTER_ABI::runtime
