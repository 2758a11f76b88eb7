#pragma once
// Merges kernels into units step by step, and keeps a valid order of the units: each runs after
// those it depends on.

#include <cstddef>  // std::size_t

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/lower/dependences.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Units of kernels, which are in a valid order. Each kernel is a unit of its own at first, named
/// after it.
class MergeOrder {
 public:
  explicit MergeOrder(const Vector<LoweredKernel>& kernels);

  /// Whether no other unit has to run between `a` and `b`. Visits the units between them in the
  /// order.
  bool may_merge(std::size_t a, std::size_t b) const { return !between(a, b).has_path; }
  /// Merges `b` into `a`. They have to satisfy may_merge().
  void merge(std::size_t a, std::size_t b);

 private:
  struct Between {
    std::size_t first = 0, last = 0;  ///< Places.
    /// The units between them that depend on the first, in order.
    Vector<std::size_t> dependents{};
    bool has_path = false;  ///< Whether the last depends on one of those.
  };
  Between between(std::size_t a, std::size_t b) const;

  Vector<Vector<std::size_t>> successors_;  ///< Of each kernel.
  Vector<std::size_t> unit_of_{};           ///< Of each kernel.
  Vector<Vector<std::size_t>> members_{};   ///< Of each unit.
  Vector<std::size_t> order_{}, places_{};  ///< The unit at each place, and the place of each unit.
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/merge_order.ipp>
#endif
