#pragma once
// A work list that grows while it is processed, and a topological order.

#include <cstddef>           // std::size_t
#include <initializer_list>  // std::initializer_list
#include <utility>           // std::pair

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Keys in the order in which they were first added. A loop over the positions sees the keys that
/// its body adds.
template <class Key>
class Worklist {
 public:
  Worklist(std::initializer_list<Key> keys) {
    for (const Key& key : keys) add(key);
  }

  void add(const Key& key) {
    if (known_.insert(key).second) keys_.push_back(key);
  }
  std::size_t size() const { return keys_.size(); }
  Key operator[](std::size_t i) const { return keys_[i]; }

 private:
  HashSet<Key> known_{};
  Vector<Key> keys_{};
};

/// The positions 0, 1, ... in topological order: each comes before its `successors`, which have one
/// entry for each edge. Of the positions that are ready, the one with the least key comes first.
/// Positions on a cycle, and those that follow one, are left out.
template <class Key>
Vector<std::size_t> topological_order(const Vector<Vector<std::size_t>>& successors,
                                      const Vector<Key>& keys) {
  Vector<std::size_t> needs(successors.size(), 0), result;
  for (const auto& list : successors) {
    for (const std::size_t next : list) ++needs[next];
  }
  SortedSet<std::pair<Key, std::size_t>> ready;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (needs[i] == 0) ready.insert({keys[i], i});
  }
  while (!ready.empty()) {
    const std::size_t i = ready.begin()->second;
    ready.erase(ready.begin());
    result.push_back(i);
    for (const std::size_t next : successors[i]) {
      if (--needs[next] == 0) ready.insert({keys[next], next});
    }
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail
