#pragma once
// The words in which the launches of a plan note faults in the data, in memory of a GPU.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/plan.hpp>

namespace sinter::inline SINTER_ABI::runtime {

/// One Fault for each launch that has checks, in a row.
class CudaFaults {
 public:
  explicit CudaFaults(const schedule::Plan& plan);

  /// Of all of them; 0 if no launch has checks.
  std::size_t bytes() const { return bytes_; }
  bool any() const { return bytes_ != 0; }
  bool has(std::size_t launch) const { return slots_[launch] >= 0; }
  /// Where the word of `launch` is, in bytes from the first.
  std::size_t offset(std::size_t launch) const;
  /// Throws what the first launch that is at fault noted, if there is one; `words` are a copy on
  /// the host, and `plan` is that of the constructor.
  void throw_first(const schedule::Plan& plan, const void* words) const;

 private:
  std::vector<std::int32_t> slots_{};  // of each launch; -1 if it has no checks
  std::size_t bytes_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda_faults.ipp>
#endif
