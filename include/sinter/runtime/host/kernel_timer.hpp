#pragma once
// Times the kernels of a host executable, launch by launch; autotuning uses it.

#include <atomic>   // std::atomic
#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Adds up the time of each kernel of one Executable, whose calls must not overlap. The time of a
/// launch is the CPU time of its slowest thread, so that time taken by other programs does not
/// count.
class KernelTimer {
 public:
  explicit KernelTimer(std::size_t kernels) : nanoseconds_(kernels) {}

  /// Starts a launch of `kernel`. All threads have ended the launch before it.
  void begin(std::size_t kernel);
  /// A thread ended its share of the launch, which took `nanoseconds` by now().
  void end(std::int64_t nanoseconds);
  /// The CPU time of this thread, in nanoseconds.
  static std::int64_t now();
  /// The nanoseconds of each kernel since the last call of take().
  std::vector<std::int64_t> take();

 private:
  void add();

  std::vector<std::int64_t> nanoseconds_;
  std::size_t kernel_ = 0;
  std::atomic<std::int64_t> longest_{0};  // over the threads, of the current launch
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/kernel_timer.ipp>
#endif
