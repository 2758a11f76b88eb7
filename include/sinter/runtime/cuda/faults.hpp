#pragma once
// Fault words in GPU memory, in which the launches of a plan record faults in the data.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Whether launches in bodies of branches and loops have fault words in the same array.
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

/// An array with one Fault for each launch that has checks.
class CudaFaults {
 public:
  explicit CudaFaults(const schedule::Plan& plan, Bodies bodies = Bodies::apart);

  /// The size of the array; 0 if no launch has checks.
  std::size_t bytes() const { return bytes_; }
  bool any() const { return bytes_ != 0; }
  bool has(std::size_t launch) const { return slots_[launch] >= 0; }
  /// The byte offset of the word of `launch`. For a branch or loop: of the first word of its
  /// launches, which are consecutive in the order of for_each_checked().
  std::size_t offset(std::size_t launch) const;
  /// Throws the first recorded fault, if any. `words` is a host copy of the array; `plan` is the
  /// plan of the constructor.
  void throw_first(const schedule::Plan& plan, const void* words) const;

 private:
  Vector<std::int32_t> slots_{};  // the first word of each launch; -1 if it has no checks
  std::size_t bytes_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/faults.ipp>
#endif
