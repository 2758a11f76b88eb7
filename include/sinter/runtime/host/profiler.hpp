#pragma once
// Profiler hooks: which kernels ran, when, and on which threads or GPU.
//
// While no profile is taken, replay pays one load of a flag.

#include <atomic>   // std::atomic
#include <cstdint>  // std::int64_t, std::uint8_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

enum class HostWork : std::uint8_t;

namespace compiler {
class Module;
}  // namespace compiler

namespace schedule {
struct Launch;
}  // namespace schedule

namespace runtime {

/// One run of a kernel.
struct KernelRun {
  std::string kernel{};  ///< The name of its function, and how many kernels share its launch.
  std::int64_t bytes_read = 0, bytes_written = 0;
  std::int64_t operations = 0;  ///< See schedule::Launch.
  std::vector<Where> lines{};
  HostWork work{};  ///< Of a host function.
};

/// The time that one thread, or a GPU, spent in a run, by monotonic_nanoseconds().
struct KernelSpan {
  std::size_t run = 0;  ///< Index in KernelTrace::runs; for add_span(), the number from add_run().
  int thread = 0;       ///< Of the thread pool; 0 is the caller.
  std::int64_t start = 0, end = 0;
  int gpu = -1;  ///< The index of the GPU; -1 for the host.
};

/// Runs in the order of add_run(), spans in the order of their ends.
struct KernelTrace {
  Vector<KernelRun> runs{};
  Vector<KernelSpan> spans{};
};

/// Describes a run of `launch`, whose kernels are in `module`, for KernelProfiler.
KernelRun describe_run(const compiler::Module& module, const schedule::Launch& launch,
                       Span<const std::int64_t> symbols);

/// Nanoseconds of the steady clock.
std::int64_t monotonic_nanoseconds();

/// Collects what all executables of the process report between start() and stop().
class KernelProfiler {
 public:
  static KernelProfiler& process();

  /// Replay checks this before it runs kernels.
  static bool is_on() { return flag().load(std::memory_order_relaxed); }

  /// False if a profile is being taken already.
  bool start();
  /// Discards what was collected since start().
  void clear();
  /// Ends the profile and returns what was collected.
  KernelTrace stop();

  /// Registers a run that is about to start and returns its number. Reserves memory for its spans,
  /// so that threads that run kernels do not allocate.
  std::size_t add_run(KernelRun run);
  /// Drops the span if no memory is reserved for it.
  void add_span(const KernelSpan& span);

 private:
  static std::atomic<bool>& flag() {
    static constinit std::atomic<bool> on{false};
    return on;
  }

  ProcessMutex mutex_;
  KernelTrace trace_{};
  std::size_t first_ = 0;  // the number of the first run since start()
};

}  // namespace runtime

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/profiler.ipp>
#endif
