#pragma once
// Profiler hooks for GPU kernels: events before and after each kernel.

#include <cstddef>  // std::size_t

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/submission.hpp>
#include <sinter/runtime/host/profiler.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Profiles the kernels of one call, which run one by one; the host waits for them.
class CudaKernelProfiler {
 public:
  /// The number of runs with pending events, at which the host waits: a loop may have any number of
  /// steps.
  static constexpr std::size_t max_pending_runs = 1024;

  explicit CudaKernelProfiler(CudaSubmission& work) : work_(work) {}
  CudaKernelProfiler(const CudaKernelProfiler&) = delete;
  CudaKernelProfiler& operator=(const CudaKernelProfiler&) = delete;
  ~CudaKernelProfiler();

  /// Begins `run`: all work submitted to the stream until end().
  void begin(KernelRun run);
  void end();
  /// Waits for the pending runs and adds their GPU times to KernelProfiler.
  void report();
  /// The number of runs with pending events.
  std::size_t pending() const { return runs_.size(); }

 private:
  struct Run {
    std::size_t number = 0;  // from add_run()
    CudaDriver::Handle begin = nullptr, end = nullptr;
  };
  void record(CudaDriver::Handle& event);
  void forget_events();

  CudaSubmission& work_;
  Vector<Run> runs_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/profiler.ipp>
#endif
