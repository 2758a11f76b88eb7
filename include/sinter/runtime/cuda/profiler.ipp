#pragma once

#include <cmath>    // std::llround
#include <utility>  // std::move

#include <sinter/runtime/cuda/profiler.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

SINTER_INLINE CudaKernelProfiler::~CudaKernelProfiler() { forget_events(); }

SINTER_INLINE void CudaKernelProfiler::forget_events() {
  for (const Run& run : runs_) {
    for (const CudaDriver::Handle event : {run.begin, run.end}) {
      if (event != nullptr) work_.driver().destroy_event(event);
    }
  }
  runs_.clear();
}

// `runs_` owns the event from its creation, so that it is not leaked if the driver fails.
SINTER_INLINE void CudaKernelProfiler::record(CudaDriver::Handle& event) {
  work_.check(work_.driver().create_event(&event, 0), "cuEventCreate");
  work_.check(work_.driver().record_event(event, work_.stream().handle), "cuEventRecord");
}

SINTER_INLINE void CudaKernelProfiler::begin(KernelRun run) {
  if (runs_.size() == max_pending_runs) report();
  runs_.push_back({KernelProfiler::process().add_run(std::move(run))});
  record(runs_.back().begin);
}

SINTER_INLINE void CudaKernelProfiler::end() { record(runs_.back().end); }

// Reads the host clock when the last event has completed; the other events are placed relative to
// it.
SINTER_INLINE void CudaKernelProfiler::report() {
  if (runs_.empty()) return;
  const CudaDriver::Handle last = runs_.back().end;
  await_event(work_.context(), last, Where());
  const std::int64_t now = monotonic_nanoseconds();
  const auto time_of = [&](CudaDriver::Handle event) {
    float milliseconds = 0;
    work_.check(work_.driver().elapsed(&milliseconds, event, last), "cuEventElapsedTime");
    return now - std::llround(1e6 * static_cast<double>(milliseconds));
  };
  const int device = work_.context().device().index();
  for (const Run& run : runs_) {
    KernelProfiler::process().add_span(
        {.run = run.number, .start = time_of(run.begin), .end = time_of(run.end), .gpu = device});
  }
  forget_events();
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
