#pragma once
// Waits for an atomic variable: spins, then sleeps.

#include <sched.h>  // sched_yield

#include <atomic>  // std::atomic
#include <chrono>  // std::chrono::steady_clock
#include <thread>  // std::thread::hardware_concurrency

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

/// Of a thread that has no work, and of one that waits for others to finish theirs. A thread that
/// sleeps is often woken on the processor of the thread that wakes it, though others are idle.
inline constexpr std::chrono::microseconds spin_time{50}, long_spin_time{10'000};

inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Spins until `value` differs from `old`, at most for `time`; false if it did not change. Yields
/// the core now and then to the thread that is to change it.
template <class T>
bool changes_within(std::chrono::microseconds time, const std::atomic<T>& value, T old) {
  for (int i = 0; i < 200; ++i) {
    if (value.load(std::memory_order_acquire) != old) return true;
    pause_processor();
  }
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 20; ++i) {
      if (value.load(std::memory_order_acquire) != old) return true;
      pause_processor();
    }
    sched_yield();  // the other thread may need this core
  }
  return false;
}

/// The number of processors that this process could use when it asked first.
inline int processors() {
  static const auto count = static_cast<int>(std::thread::hardware_concurrency());
  return count;
}

/// Waits until another one of `threads` threads that are at work sets `value` to something else
/// than `old`. It soon sleeps if these are more than the processors: the others need this one.
template <class T>
void wait_while(const std::atomic<T>& value, T old, int threads) {
  const auto time = threads <= processors() ? long_spin_time : spin_time;
  if (changes_within(time, value, old)) return;
  value.wait(old, std::memory_order_acquire);
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::runtime
