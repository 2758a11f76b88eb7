#pragma once

#include <algorithm>  // std::min
#include <cmath>      // std::llround
#include <utility>    // std::exchange

#include <sinter/base/error.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/runtime/cuda/kernel_timer.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// While the GPU overwrites as much as its L2 cache holds, the host submits two launches and their
// events. The limit keeps the GPU busy for some milliseconds at most.
inline constexpr std::size_t launches_per_sweep = 2, max_sweeps = 256;

// Memory of the size of the L2 cache; empty if memory runs out or the size is unknown.
SINTER_INLINE Storage memory_to_sweep(const CudaContext& context) {
  int number = 0, bytes = 0;
  const CudaDriver& driver = context.driver();
  const bool known = driver.device(&number, context.device().index()) == 0 &&
                     driver.device_attribute(&bytes, CudaDriver::second_level_bytes, number) == 0 &&
                     bytes > 0;
  if (!known) return {};
  try {
    return Storage::allocate(static_cast<std::size_t>(bytes), context.device(), {},
                             "timing kernels");
  } catch (const ValueError&) {
    return {};
  }
}

}  // namespace detail

SINTER_INLINE CudaKernelTimer::CudaKernelTimer(Device device, std::size_t kernels)
    : context_(CudaContext::of(device)),
      kernels_(kernels),
      swept_(detail::memory_to_sweep(context_)) {}

SINTER_INLINE CudaKernelTimer::~CudaKernelTimer() {
  for (const CudaDriver::Handle event : events_) context_.driver().destroy_event(event);
}

SINTER_INLINE std::size_t CudaKernelTimer::record(const CudaSubmission& work) {
  if (used_ == events_.size()) {
    CudaDriver::Handle event = nullptr;
    work.check(work.driver().create_event(&event, 0), "cuEventCreate");
    events_.push_back(event);
  }
  work.check(work.driver().record_event(events_[used_], work.stream().handle), "cuEventRecord");
  return used_++;
}

SINTER_INLINE void CudaKernelTimer::start(std::size_t launches, Where where) {
  CudaSubmission work(context_.device(), where);
  used_ = 0;
  launches_.clear();
  unfinished_ = -1;
  record(work);
  if (!swept_) return;
  work.writes(swept_);
  const std::size_t sweeps =
      std::min(launches / detail::launches_per_sweep + 1, detail::max_sweeps);
  for (std::size_t i = 0; i < sweeps; ++i) {
    work.check(work.driver().set_bytes_async(device_address(swept_), 0, swept_.bytes(),
                                             work.stream().handle),
               "cuMemsetD8Async");
  }
}

SINTER_INLINE void CudaKernelTimer::begin(const CudaSubmission& work, std::size_t kernel) {
  const bool is_timed = launches_.size() < max_timed_launches;
  if (is_timed) launches_.push_back({kernel, record(work), 0});
  unfinished_ = static_cast<std::int64_t>(kernel);
}

SINTER_INLINE void CudaKernelTimer::end(const CudaSubmission& work) {
  unfinished_ = -1;
  if (launches_.back().end == 0) launches_.back().end = record(work);
}

SINTER_INLINE std::int64_t CudaKernelTimer::take_failed() { return std::exchange(unfinished_, -1); }

SINTER_INLINE std::int64_t CudaKernelTimer::between(std::size_t begin, std::size_t end,
                                                    Where where) const {
  float milliseconds = 0;
  context_.check(context_.driver().elapsed(&milliseconds, events_[begin], events_[end]),
                 "cuEventElapsedTime", where);
  return std::llround(1e6 * static_cast<double>(milliseconds));
}

SINTER_INLINE std::vector<std::int64_t> CudaKernelTimer::take(Where where) {
  std::vector<std::int64_t> result(kernels_);
  elapsed_ = 0;
  if (launches_.empty()) return result;
  const std::size_t last = launches_.back().end;
  context_.check(context_.driver().synchronize_event(events_[last]), "cuEventSynchronize", where);
  for (const TimedLaunch& launch : launches_)
    result[launch.kernel] += between(launch.begin, launch.end, where);
  elapsed_ = between(0, last, where);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
