#pragma once
// What kernels on a GPU report to KernelProfiler: an event of the driver before and after each.

#include <cstddef>  // std::size_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/device/cuda/submission.hpp>
#include <sinter/runtime/host/profiler.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// The kernels of one call while somebody watches. They run one by one, and the host waits.
class CudaKernelProfiler {
 public:
  /// Runs whose events are kept before the host waits: a loop may have any number of steps.
  static constexpr std::size_t max_pending_runs = 1024;

  explicit CudaKernelProfiler(CudaSubmission& work) : work_(work) {}
  CudaKernelProfiler(const CudaKernelProfiler&) = delete;
  CudaKernelProfiler& operator=(const CudaKernelProfiler&) = delete;
  ~CudaKernelProfiler();

  /// What the stream is given from here to end() is `run`.
  void begin(KernelRun run);
  void end();
  /// Waits for what was given, and notes when each run began and ended on the GPU.
  void report();
  /// Runs whose events are there.
  std::size_t pending() const { return runs_.size(); }

 private:
  struct Run {
    std::size_t number = 0;  // what announce() gave
    CudaDriver::Handle begin = nullptr, end = nullptr;
  };
  void record(CudaDriver::Handle& event);
  void forget_events();

  CudaSubmission& work_;
  std::vector<Run> runs_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/profiler.ipp>
#endif
