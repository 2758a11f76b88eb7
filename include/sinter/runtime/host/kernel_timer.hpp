#pragma once
// How long the kernels of a call took, launch by launch, without a word to anybody else.

#include <atomic>   // std::atomic
#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Adds up the time of the kernels of one Executable, which runs for one call at a time. A launch
/// takes as long as the thread that has the most to do: what other programs take of the cores does
/// not count.
class Stopwatch {
 public:
  explicit Stopwatch(std::size_t kernels) : nanoseconds_(kernels) {}

  /// The calling thread starts a launch of `kernel`; other threads have ended the one before.
  void begin(std::size_t kernel);
  /// A thread has done its part, which took so long by its now().
  void end(std::int64_t nanoseconds);
  /// The time that this thread has had a core.
  static std::int64_t now();
  /// The time of each kernel since the last call of this.
  std::vector<std::int64_t> take();

 private:
  void add();

  std::vector<std::int64_t> nanoseconds_;
  std::size_t kernel_ = 0;
  std::atomic<std::int64_t> longest_{0};  // of the present launch
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/kernel_timer.ipp>
#endif
