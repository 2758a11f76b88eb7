#pragma once
// The words in which the launches of a plan note faults in the data, in memory of a GPU.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Whether the launches of branches and loops have words of their own.
enum class Bodies : bool { apart, included };

/// Calls visit(launch) for each launch of a kernel that has checks: `launch` itself, or those in
/// the bodies of a branch or loop.
template <class Visit>
void for_each_checked(const schedule::Plan& plan, const schedule::Launch& launch,
                      const Visit& visit) {
  if (launch.control < 0) {
    if (!launch.checks.empty()) visit(launch);
    return;
  }
  for (const std::int32_t body : plan.controls[static_cast<std::size_t>(launch.control)].bodies) {
    const schedule::Plan& inside = plan.bodies[static_cast<std::size_t>(body)];
    for (const schedule::Launch& one : inside.launches) for_each_checked(inside, one, visit);
  }
}

/// One Fault for each launch that has checks, in a row.
class CudaFaults {
 public:
  explicit CudaFaults(const schedule::Plan& plan, Bodies bodies = Bodies::apart);

  /// Of all of them; 0 if no launch has checks.
  std::size_t bytes() const { return bytes_; }
  bool any() const { return bytes_ != 0; }
  bool has(std::size_t launch) const { return slots_[launch] >= 0; }
  /// Where the word of `launch` is, in bytes from the first; of a branch or loop, the first of
  /// those that for_each_checked() visits, which follow each other.
  std::size_t offset(std::size_t launch) const;
  /// Throws what the first launch that is at fault noted, if there is one; `words` are a copy on
  /// the host, and `plan` is that of the constructor.
  void throw_first(const schedule::Plan& plan, const void* words) const;

 private:
  std::vector<std::int32_t> slots_{};  // of each launch, the first; -1 if it has no checks
  std::size_t bytes_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/faults.ipp>
#endif
