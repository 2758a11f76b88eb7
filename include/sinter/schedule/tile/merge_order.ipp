#pragma once

#include <algorithm>  // std::max, std::min

#include <sinter/base/container/vector.hpp>
#include <sinter/schedule/tile/merge_order.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE MergeOrder::MergeOrder(const Vector<LoweredKernel>& kernels)
    : successors_(dependences(kernels).after) {
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    unit_of_.push_back(k);
    members_.push_back({k});
    order_.push_back(k);
    places_.push_back(k);
  }
}

// Every path from one unit to the other lies between them in the order, so one pass in order finds
// all dependents.
SINTER_INLINE MergeOrder::Between MergeOrder::between(std::size_t a, std::size_t b) const {
  Between result{std::min(places_[a], places_[b]), std::max(places_[a], places_[b])};
  Vector<bool> reachable(result.last - result.first + 1, false);
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

// Units that do not depend on the first of the two move before both, those that do move after them.
SINTER_INLINE void MergeOrder::merge(std::size_t a, std::size_t b) {
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
  members_[a].insert(members_[a].end(), members_[b].begin(), members_[b].end());
  members_[b].clear();
  for (std::size_t i = 0; i < now.size(); ++i) {
    order_[found.first + i] = now[i];
    places_[now[i]] = found.first + i;
  }
  order_[found.last] = b;  // now empty
  places_[b] = found.last;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
