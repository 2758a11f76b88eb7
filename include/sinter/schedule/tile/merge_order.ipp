#pragma once

#include <algorithm>      // std::max, std::min
#include <unordered_map>  // std::unordered_map

#include <sinter/schedule/tile/merge_order.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE std::vector<std::vector<std::size_t>> followers_of(
    const std::vector<Lowered>& kernels) {
  std::vector<std::vector<std::size_t>> result(kernels.size());
  std::unordered_map<NodeId, std::vector<std::size_t>> writers;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for_each_buffer(kernels[k], [&](NodeId node, std::size_t i) {
      auto& known = writers[node];
      const Access access = kernels[k].kernel.arguments[i].access;
      for (const std::size_t writer : known) {  // those that only write have parts each
        if (access != Access::write && writer != k) result[writer].push_back(k);
      }
      if (access != Access::read) known.push_back(k);
    });
  }
  return result;
}

SINTER_INLINE Units::Units(const std::vector<Lowered>& kernels)
    : followers_(followers_of(kernels)) {
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    unit_of_.push_back(k);
    members_.push_back({k});
    order_.push_back(k);
    places_.push_back(k);
  }
}

// No unit stands before one that it needs: what lies on a way from one to the other is between
// them, and one pass in order finds all of it.
SINTER_INLINE Units::Between Units::between(std::size_t a, std::size_t b) const {
  Between result{std::min(places_[a], places_[b]), std::max(places_[a], places_[b])};
  std::vector<bool> reached(result.last - result.first + 1, false);
  reached[0] = true;
  for (std::size_t place = result.first; place < result.last; ++place) {
    if (!reached[place - result.first]) continue;
    if (place > result.first) result.behind.push_back(order_[place]);
    for (const std::size_t kernel : members_[order_[place]]) {
      for (const std::size_t follower : followers_[kernel]) {
        const std::size_t to = places_[unit_of_[follower]];
        if (to <= place || to > result.last) continue;
        reached[to - result.first] = true;
        result.is_needed = result.is_needed || (to == result.last && place > result.first);
      }
    }
  }
  return result;
}

SINTER_INLINE bool Units::may_join(std::size_t a, std::size_t b) const {
  return !between(a, b).is_needed;
}

// What does not need the first of the two goes before both, what does behind them.
SINTER_INLINE void Units::join(std::size_t a, std::size_t b) {
  const Between found = between(a, b);
  std::vector<std::size_t> now;
  std::size_t next = 0;
  for (std::size_t place = found.first + 1; place < found.last; ++place) {
    if (next < found.behind.size() && found.behind[next] == order_[place]) {
      ++next;
    } else {
      now.push_back(order_[place]);
    }
  }
  now.push_back(a);
  now.insert(now.end(), found.behind.begin(), found.behind.end());
  for (const std::size_t kernel : members_[b]) unit_of_[kernel] = a;
  members_[a].insert(members_[a].end(), members_[b].begin(), members_[b].end());
  members_[b].clear();
  for (std::size_t i = 0; i < now.size(); ++i) {
    order_[found.first + i] = now[i];
    places_[now[i]] = found.first + i;
  }
  order_[found.last] = b;  // which is empty
  places_[b] = found.last;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
