#pragma once
// Times the kernels of a call on a GPU with events on its stream; autotuning uses it.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/submission.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Adds up the time of each kernel of one CudaExecutable, whose calls must not overlap.
class CudaKernelTimer {
 public:
  /// The number of launches of a run that are timed, from the first on. Each needs two events, and
  /// a loop on the host may have any number of steps.
  static constexpr std::size_t max_timed_launches = 4096;

  CudaKernelTimer(Device device, std::size_t kernels);
  CudaKernelTimer(const CudaKernelTimer&) = delete;
  CudaKernelTimer& operator=(const CudaKernelTimer&) = delete;
  ~CudaKernelTimer();

  /// Starts a run of about `launches` launches. First, the GPU overwrites memory of the size of its
  /// L2 cache, repeatedly, while the host submits launches: no timed kernel waits for the host, and
  /// none hits data that an earlier run left in the cache.
  void start(std::size_t launches, Where where);
  /// Begins a timed launch of `kernel`: all work submitted until end().
  void begin(const CudaSubmission& work, std::size_t kernel);
  void end(const CudaSubmission& work);
  /// Returns and clears the kernel of a launch that began and did not end; -1 if there is none.
  std::int64_t take_failed();

  /// Waits for the GPU; returns the nanoseconds of each kernel since start().
  std::vector<std::int64_t> take(Where where);
  /// The nanoseconds of the whole run, gaps between kernels included.
  std::int64_t elapsed() const { return elapsed_; }

 private:
  struct TimedLaunch {
    std::size_t kernel = 0, begin = 0, end = 0;  // indices of the events
  };
  std::size_t record(const CudaSubmission& work);
  std::int64_t between(std::size_t begin, std::size_t end, Where where) const;

  CudaContext& context_;
  std::size_t kernels_;
  Vector<CudaDriver::Handle> events_{};
  std::size_t used_ = 0;  // events of this run
  Vector<TimedLaunch> launches_{};
  std::int64_t unfinished_ = -1;  // the kernel of the launch that began and did not end
  Storage swept_{};
  std::int64_t elapsed_ = 0;
};

/// A timed launch, if `timer` is not null. An exception leaves it unfinished; see take_failed().
class CudaTimedLaunch {
 public:
  CudaTimedLaunch(CudaKernelTimer* timer, const CudaSubmission& work, std::size_t kernel)
      : timer_(timer), work_(work) {
    if (timer_ != nullptr) timer_->begin(work, kernel);
  }
  CudaTimedLaunch(const CudaTimedLaunch&) = delete;
  CudaTimedLaunch& operator=(const CudaTimedLaunch&) = delete;
  void end() {
    if (timer_ != nullptr) timer_->end(work_);
  }

 private:
  CudaKernelTimer* timer_;
  const CudaSubmission& work_;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/kernel_timer.ipp>
#endif
