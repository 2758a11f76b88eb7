#pragma once
// Hash tables that compile quickly, since what does not depend on the types of keys and values is
// shared: see docs/decisions/containers.md.

#include <cstddef>      // std::size_t
#include <string_view>  // std::hash, std::string_view
#include <utility>      // std::exchange, std::swap

#include <sinter/base/container/keyed_table.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Links an element into the list of its bucket and into the list of all elements, which is in the
/// order of insertion.
struct HashLink {
  HashLink* next_in_bucket = nullptr;
  HashLink* previous = nullptr;
  HashLink* next = nullptr;
  std::size_t hash = 0;
};

/// The lists of a hash table; does not own the elements.
class HashBuckets {
 public:
  HashBuckets() = default;
  HashBuckets(const HashBuckets&) = delete;
  HashBuckets& operator=(const HashBuckets&) = delete;
  ~HashBuckets() { delete[] buckets_; }

  HashLink* first() const { return first_; }
  std::size_t size() const { return size_; }
  /// The links whose bucket is that of `hash`, as a list by `next_in_bucket`.
  HashLink* bucket(std::size_t hash) const {
    return count_ == 0 ? nullptr : buckets_[index_of(hash)];
  }

  /// Makes room for `size` elements: add() does not allocate.
  void reserve(std::size_t size) {
    std::size_t count = count_ == 0 ? 8 : count_;
    while (count < size) count *= 2;
    if (count != count_) rehash(count);
  }
  /// Requires room for it.
  void add(HashLink& link, std::size_t hash) noexcept {
    link.hash = hash;
    link.next_in_bucket = std::exchange(buckets_[index_of(hash)], &link);
    link.previous = last_;
    (last_ == nullptr ? first_ : last_->next) = &link;
    last_ = &link;
    ++size_;
  }
  void remove(HashLink& link) {
    HashLink** at = &buckets_[index_of(link.hash)];
    while (*at != &link) at = &(*at)->next_in_bucket;
    *at = link.next_in_bucket;
    (link.previous == nullptr ? first_ : link.previous->next) = link.next;
    (link.next == nullptr ? last_ : link.next->previous) = link.previous;
    --size_;
  }
  void remove_all() noexcept {
    for (std::size_t i = 0; i < count_; ++i) buckets_[i] = nullptr;
    first_ = last_ = nullptr;
    size_ = 0;
  }
  void swap(HashBuckets& other) noexcept {
    std::swap(buckets_, other.buckets_);
    std::swap(count_, other.count_);
    std::swap(size_, other.size_);
    std::swap(first_, other.first_);
    std::swap(last_, other.last_);
  }

 private:
  void rehash(std::size_t count) {
    HashLink** const buckets = new HashLink* [count] {};
    delete[] buckets_;
    buckets_ = buckets;
    count_ = count;
    for (HashLink* link = first_; link != nullptr; link = link->next) {
      link->next_in_bucket = std::exchange(buckets_[index_of(link->hash)], link);
    }
  }
  // count_ is a power of two. The product spreads keys that are small numbers or addresses.
  std::size_t index_of(std::size_t hash) const {
    return ((hash * 0x9e3779b97f4a7c15) >> 32) & (count_ - 1);
  }

  HashLink** buckets_ = nullptr;
  std::size_t count_ = 0;
  std::size_t size_ = 0;
  HashLink* first_ = nullptr;
  HashLink* last_ = nullptr;
};

/// Hashes numbers, pointers and texts.
template <class Key>
struct HashOf {
  std::size_t operator()(const Key& key) const {
    if constexpr (requires { std::string_view(key); }) {
      return std::hash<std::string_view>()(std::string_view(key));
    } else if constexpr (requires { static_cast<std::size_t>(key); }) {
      return static_cast<std::size_t>(key);
    } else {
      return reinterpret_cast<std::size_t>(key);
    }
  }
};

/// Looks up keys by hash. Iteration follows the order of insertion.
template <class Key, class KeyHash>
class HashIndex : public HashBuckets {
 public:
  using Link = HashLink;
  struct Place {
    HashLink* known = nullptr;
    std::size_t hash = 0;
  };
  static constexpr bool is_sorted = false;

  template <class Node>
  Place place_of(const Key& key) const {
    const std::size_t hash = KeyHash()(key);
    HashLink* link = bucket(hash);
    while (link != nullptr &&
           !(link->hash == hash && key_of_element(static_cast<Node*>(link)->element) == key)) {
      link = link->next_in_bucket;
    }
    return {link, hash};
  }
  Place place_at_end(const Key& key) const { return {nullptr, KeyHash()(key)}; }
  void make_room() { reserve(size() + 1); }
  void add(HashLink& link, const Place& place) noexcept { HashBuckets::add(link, place.hash); }
};

template <class Key, class KeyHash = HashOf<Key>>
using HashSet = KeyedSet<Key, HashIndex<Key, KeyHash>>;
template <class Key, class T, class KeyHash = HashOf<Key>>
using HashMap = KeyedMap<Key, T, HashIndex<Key, KeyHash>>;

}  // namespace sinter::inline SINTER_ABI::detail
