#pragma once
// Merges kernels into units step by step, and keeps a valid order of the units: each runs after
// those it depends on.

#include <algorithm>  // std::max, std::min
#include <cstddef>    // std::size_t

#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/lower/dependences.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Units of kernels, which are in a valid order. Each kernel is a unit of its own at first, named
/// after it.
class MergeOrder {
 public:
  explicit MergeOrder(const Vector<LoweredKernel>& kernels)
      : successors_(dependences(kernels).after) {
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      unit_of_.push_back(k);
      members_.push_back({k});
      order_.push_back(k);
      places_.push_back(k);
    }
  }

  /// Whether no other unit has to run between `a` and `b`. Visits the units between them in the
  /// order.
  bool may_merge(std::size_t a, std::size_t b) const { return !between(a, b).has_path; }

  /// Merges `b` into `a`. They have to satisfy may_merge(). Units that do not depend on the first
  /// of the two move before both, those that do move after them.
  void merge(std::size_t a, std::size_t b) {
    const Between found = between(a, b);
    Vector<std::size_t> now;
    std::size_t next = 0;
    for (std::size_t place = found.first + 1; place < found.last; ++place) {
      if (next < found.dependents.size() && found.dependents[next] == order_[place]) {
        ++next;
      } else {
        now.push_back(order_[place]);
      }
    }
    now.push_back(a);
    now.insert(now.end(), found.dependents.begin(), found.dependents.end());
    for (const std::size_t kernel : members_[b]) unit_of_[kernel] = a;
    members_[a].append(members_[b].begin(), members_[b].end());
    members_[b].clear();
    for (std::size_t i = 0; i < now.size(); ++i) {
      order_[found.first + i] = now[i];
      places_[now[i]] = found.first + i;
    }
    order_[found.last] = b;  // now empty
    places_[b] = found.last;
  }

 private:
  struct Between {
    std::size_t first = 0, last = 0;  ///< Places.
    /// The units between them that depend on the first, in order.
    SmallVector<std::size_t, 16> dependents{};
    bool has_path = false;  ///< Whether the last depends on one of those.
  };

  // Every path from one unit to the other lies between them in the order, so one pass in order
  // finds all dependents.
  Between between(std::size_t a, std::size_t b) const {
    Between result{std::min(places_[a], places_[b]), std::max(places_[a], places_[b])};
    SmallVector<bool, 64> reachable;
    reachable.resize(result.last - result.first + 1);
    reachable[0] = true;
    for (std::size_t place = result.first; place < result.last; ++place) {
      if (!reachable[place - result.first]) continue;
      if (place > result.first) result.dependents.push_back(order_[place]);
      for (const std::size_t kernel : members_[order_[place]]) {
        for (const std::size_t successor : successors_[kernel]) {
          const std::size_t to = places_[unit_of_[successor]];
          if (to <= place || to > result.last) continue;
          reachable[to - result.first] = true;
          result.has_path = result.has_path || (to == result.last && place > result.first);
        }
      }
    }
    return result;
  }

  Vector<KernelNumbers> successors_;        ///< Of each kernel.
  Vector<std::size_t> unit_of_{};           ///< Of each kernel.
  Vector<KernelNumbers> members_{};         ///< Of each unit.
  Vector<std::size_t> order_{}, places_{};  ///< The unit at each place, and the place of each unit.
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule
