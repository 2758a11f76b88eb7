#pragma once
// Waiting for an atomic variable: spin for a moment, then sleep.

#include <sched.h>  // sched_yield

#include <atomic>  // std::atomic
#include <chrono>  // std::chrono::steady_clock

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

inline constexpr std::chrono::microseconds spin_time{50};

inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Whether `value` is another than `old`, now or in a moment: soon if another core is about to
/// change it, and without burning a core that others need if not.
template <class T>
bool changes_soon(const std::atomic<T>& value, T old) {
  for (int i = 0; i < 200; ++i) {
    if (value.load(std::memory_order_acquire) != old) return true;
    pause_processor();
  }
  const auto end = std::chrono::steady_clock::now() + spin_time;
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 20; ++i) {
      if (value.load(std::memory_order_acquire) != old) return true;
      pause_processor();
    }
    sched_yield();  // the thread that is waited for may need this core
  }
  return false;
}

/// Returns when `value` is no longer `old`.
template <class T>
void wait_while(const std::atomic<T>& value, T old) {
  if (!changes_soon(value, old)) value.wait(old, std::memory_order_acquire);
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::runtime
