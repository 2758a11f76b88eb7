#pragma once

#include <pthread.h>  // pthread_atfork

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

inline constexpr int most_threads = 1024;
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
      worker(i).work = {};
      call(worker(i), true);
    }
    for (int i = 1; i < size_; ++i) worker(i).thread.join();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int asked() const { return asked_; }

  // Whether so many threads would start at once.
  bool is_awake(int threads) const {
    for (int i = 1; i < std::min(threads, size_); ++i) {
      if (worker(i).sleeps.load(std::memory_order_relaxed)) return false;
    }
    return true;
  }

  void run(int threads, TeamBody body, void* context) noexcept {
    const Work work{body, context, std::min(threads, size_)};
    start(work, true);
    body(context, 0, work.threads);
    finish();
  }

  void run_short(int threads, bool wakes, TeamBody body, void* context) noexcept {
    const Work work{body, context, std::min(threads, size_)};
    start(work, wakes);
    body(context, 0, work.threads);
    for (int i = 1; i < work.threads; ++i) {
      Worker& late = worker(i);
      if (!begins(late, late.calls.load(std::memory_order_relaxed) - 1)) continue;
      body(context, i, work.threads);
      unfinished_.fetch_sub(1, std::memory_order_relaxed);
    }
    finish();
  }

 private:
  struct Work {
    TeamBody body = nullptr;  // none: the thread is to end
    void* context = nullptr;
    int threads = 0;
  };
  struct alignas(64) Worker {
    std::atomic<std::uint32_t> calls{0};  // how often there was work
    std::atomic<std::uint32_t> begun{0};  // how often somebody began it: this thread or the caller
    std::atomic<bool> sleeps{false};
    Work work{};  // of the last call; read by who has begun it
    std::thread thread{};
  };

  Worker& worker(int number) const { return workers_[static_cast<std::size_t>(number)]; }

  static void call(Worker& worker, bool wakes) {
    worker.calls.fetch_add(1, std::memory_order_release);
    if (wakes) worker.calls.notify_one();
  }

  // Whether the work of this call is for the thread that asks.
  static bool begins(Worker& worker, std::uint32_t call) {
    return worker.begun.compare_exchange_strong(call, call + 1, std::memory_order_acq_rel);
  }

  void start(const Work& work, bool wakes) {
    unfinished_.store(work.threads - 1, std::memory_order_relaxed);
    for (int i = 1; i < work.threads; ++i) {
      worker(i).work = work;
      call(worker(i), wakes);
    }
  }

  void finish() {
    while (const int left = unfinished_.load(std::memory_order_acquire)) {
      wait_while(unfinished_, left);
    }
  }

  static void wait_for_call(Worker& me, std::uint32_t seen) {
    if (changes_soon(me.calls, seen)) return;
    me.sleeps.store(true, std::memory_order_relaxed);
    me.calls.wait(seen, std::memory_order_acquire);
    me.sleeps.store(false, std::memory_order_relaxed);
  }

  void serve(int number) noexcept {
    Worker& me = worker(number);
    for (std::uint32_t seen = 0;; ++seen) {
      wait_for_call(me, seen);
      if (!begins(me, seen)) continue;
      if (me.work.body == nullptr) return;
      me.work.body(me.work.context, number, me.work.threads);
      unfinished_.fetch_sub(1, std::memory_order_release);
      unfinished_.notify_one();
    }
  }

  int asked_, size_ = 1;
  std::unique_ptr<Worker[]> workers_;
  alignas(64) std::atomic<int> unfinished_{0};
};

// The team of this process; `busy` is set by the call that has it.
struct TeamOfProcess {
  std::atomic<bool> busy{false};
  Team* team = nullptr;
  std::atomic<int> wanted{0};
  std::chrono::steady_clock::time_point last_short{};  // when one ended that nobody was awake for
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

// The team with as many threads as are wanted now; null if there is no memory. For who is `busy`.
SINTER_INLINE Team* team_of(TeamOfProcess& state) {
  const int size = num_threads();
  if (state.team != nullptr && state.team->asked() == size) return state.team;
  delete std::exchange(state.team, nullptr);
  try {
    state.team = new Team(size);
  } catch (const std::bad_alloc&) {  // the caller can do without
  }
  return state.team;
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
  const bool is_number = end.ec == std::errc() && end.ptr == chosen.data() + chosen.size();
  if (is_number && threads >= 1) return std::min(threads, most_threads);
  if (!chosen.empty()) {
    warn(text("SINTER_NUM_THREADS=", chosen,
              " is no number of threads, 1 to 1024: as many as there are cores are used"));
  }
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
  detail::Team* const team = detail::team_of(state);
  team == nullptr ? body(context, 0, 1) : team->run(threads, body, context);
  state.busy.store(false, std::memory_order_release);
}

// Who is called once in a while is faster alone than by waking others, who then burn a core for a
// moment. Who is called again at once wakes them for the calls to come.
SINTER_INLINE void run_short(int threads, TeamBody body, void* context) {
  using Clock = std::chrono::steady_clock;
  threads = std::min(threads, num_threads());
  if (threads <= 1) return body(context, 0, 1);
  detail::TeamOfProcess& state = detail::team_of_process();
  if (state.busy.exchange(true, std::memory_order_acquire)) return body(context, 0, 1);
  if (state.team != nullptr && state.team->is_awake(threads)) {
    state.team->run_short(threads, false, body, context);
  } else {
    const bool again = Clock::now() - state.last_short < detail::spin_time / 2;
    detail::Team* const team = again ? detail::team_of(state) : nullptr;
    team == nullptr ? body(context, 0, 1) : team->run_short(threads, true, body, context);
    state.last_short = Clock::now();
  }
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

}  // namespace sinter::inline SINTER_ABI::detail::runtime
