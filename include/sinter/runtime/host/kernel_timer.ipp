#pragma once

#include <time.h>  // clock_gettime

#include <utility>  // std::exchange

#include <sinter/runtime/host/kernel_timer.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

SINTER_INLINE std::int64_t KernelTimer::now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

SINTER_INLINE void KernelTimer::add() {
  nanoseconds_[kernel_] += longest_.exchange(0, std::memory_order_relaxed);
}

SINTER_INLINE void KernelTimer::begin(std::size_t kernel) {
  add();
  kernel_ = kernel;
}

SINTER_INLINE void KernelTimer::end(std::int64_t nanoseconds) {
  std::int64_t longest = longest_.load(std::memory_order_relaxed);
  while (longest < nanoseconds &&
         !longest_.compare_exchange_weak(longest, nanoseconds, std::memory_order_relaxed)) {
  }
}

SINTER_INLINE std::vector<std::int64_t> KernelTimer::take() {
  if (!nanoseconds_.empty()) add();
  const std::size_t kernels = nanoseconds_.size();
  return std::exchange(nanoseconds_, std::vector<std::int64_t>(kernels));
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
