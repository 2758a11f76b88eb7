#pragma once
// What the maps and sets of this folder consist of and return.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// An element of a map. A std::pair, whose constructors depend on many traits, compiles slowly.
template <class Key, class T>
struct MapEntry {
  const Key first;
  T second;

  friend bool operator==(const MapEntry&, const MapEntry&) = default;
};

/// The element with a key, and whether it was added.
template <class Iterator>
struct Inserted {
  Iterator first;
  bool second;
};

/// The key of an element of a set, or of a map.
template <class Key>
const Key& key_of_element(const Key& key) {
  return key;
}
template <class Key, class T>
const Key& key_of_element(const MapEntry<Key, T>& entry) {
  return entry.first;
}

}  // namespace sinter::inline SINTER_ABI::detail
