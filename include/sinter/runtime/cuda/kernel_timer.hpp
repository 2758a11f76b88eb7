#pragma once
// How long the kernels of a call take on a GPU, by events on its stream.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/device/cuda/submission.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Adds up the time of the kernels of one CudaExecutable, which runs for one call at a time.
class CudaKernelTimer {
 public:
  /// Laps of a run that are timed, the first ones: each has two events of the driver, and a loop on
  /// the host may have any number of steps.
  static constexpr std::size_t max_timed_launches = 4096;

  CudaKernelTimer(Device device, std::size_t kernels);
  CudaKernelTimer(const CudaKernelTimer&) = delete;
  CudaKernelTimer& operator=(const CudaKernelTimer&) = delete;
  ~CudaKernelTimer();

  /// A run of about `launches` launches begins. Until the host has given the GPU many of them, it
  /// overwrites memory as large as its second-level cache: no kernel waits for the host while it is
  /// timed, and none finds there what an earlier run left.
  void start(std::size_t launches, Where where);
  /// What `work` is given from here to end() computes `kernel`.
  void begin(const CudaSubmission& work, std::size_t kernel);
  void end(const CudaSubmission& work);
  /// The kernel that began and did not end; -1 if there is none. It is then forgotten.
  std::int64_t take_failed();

  /// Waits for the GPU; the nanoseconds of each kernel in the laps since start().
  std::vector<std::int64_t> take(Where where);
  /// How long all of it took, what was between the kernels included.
  std::int64_t elapsed() const { return elapsed_; }

 private:
  struct TimedLaunch {
    std::size_t kernel = 0, begin = 0, end = 0;  // which events
  };
  std::size_t record(const CudaSubmission& work);
  std::int64_t between(std::size_t begin, std::size_t end, Where where) const;

  CudaContext& context_;
  std::size_t kernels_;
  std::vector<CudaDriver::Handle> events_{};
  std::size_t used_ = 0;  // of the events, in this run
  std::vector<TimedLaunch> launches_{};
  std::int64_t unfinished_ = -1;  // the kernel of the launch that began and did not end
  Storage swept_{};
  std::int64_t elapsed_ = 0;
};

/// From its beginning to its end a launch of a stopwatch, if there is one. None ends by an exception.
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
