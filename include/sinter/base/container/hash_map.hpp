#pragma once
// Hash tables that compile quickly, since what does not depend on the types of keys and values is
// shared: see docs/decisions/containers.md.

#include <cstddef>           // std::size_t
#include <initializer_list>  // std::initializer_list
#include <stdexcept>         // std::out_of_range
#include <string_view>       // std::hash, std::string_view
#include <utility>           // std::exchange, std::move, std::swap

#include <sinter/base/container/map_entry.hpp>
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

/// What HashMap and HashSet have in common. As in std::unordered_map, references to an element stay
/// valid until it is erased. Iteration is in the order of insertion.
template <class Key, class Element, class KeyHash>
class HashTable {
  struct Node : HashLink {
    template <class... Arguments>
    explicit Node(Arguments&&... arguments) : element(static_cast<Arguments&&>(arguments)...) {}
    Element element;
  };

 public:
  using value_type = Element;

  class iterator {
   public:
    iterator() = default;
    explicit iterator(HashLink* link) : link_(link) {}
    Element& operator*() const { return static_cast<Node*>(link_)->element; }
    Element* operator->() const { return &**this; }
    iterator& operator++() {
      link_ = link_->next;
      return *this;
    }
    bool operator==(const iterator& other) const = default;

   private:
    friend HashTable;
    HashLink* link_ = nullptr;
  };

  class const_iterator {
   public:
    const_iterator() = default;
    const_iterator(iterator from) : at_(from) {}
    const Element& operator*() const { return *at_; }
    const Element* operator->() const { return &*at_; }
    const_iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const const_iterator& other) const = default;

   private:
    iterator at_{};
  };

  HashTable() = default;
  HashTable(const HashTable& other) : HashTable() {
    for (const Element& each : other) add(each);
  }
  HashTable(HashTable&& other) noexcept { buckets_.swap(other.buckets_); }
  HashTable& operator=(HashTable other) noexcept {
    buckets_.swap(other.buckets_);
    return *this;
  }
  ~HashTable() { clear(); }

  std::size_t size() const { return buckets_.size(); }
  bool empty() const { return size() == 0; }
  iterator begin() { return iterator(buckets_.first()); }
  iterator end() { return iterator(); }
  const_iterator begin() const { return iterator(buckets_.first()); }
  const_iterator end() const { return {}; }

  iterator find(const Key& key) { return iterator(link_of(key, KeyHash()(key))); }
  const_iterator find(const Key& key) const { return iterator(link_of(key, KeyHash()(key))); }
  bool contains(const Key& key) const { return link_of(key, KeyHash()(key)) != nullptr; }
  std::size_t count(const Key& key) const { return contains(key) ? 1 : 0; }

  /// Adds `element` unless there is one with its key.
  Inserted<iterator> insert(Element element) {
    const std::size_t hash = KeyHash()(key_of_element(element));
    if (HashLink* const known = link_of(key_of_element(element), hash))
      return {iterator(known), false};
    return {add_new(hash, std::move(element)), true};
  }
  template <class Iterator>
  requires requires(Iterator at) { *++at; }
  void insert(Iterator first, Iterator last) {
    for (; first != last; ++first) insert(*first);
  }
  template <class... Arguments>
  Inserted<iterator> emplace(Arguments&&... arguments) {
    return insert(Element(static_cast<Arguments&&>(arguments)...));
  }

  std::size_t erase(const Key& key) {
    const iterator at = find(key);
    if (at == end()) return 0;
    erase(at);
    return 1;
  }
  iterator erase(iterator at) {
    Node* const node = static_cast<Node*>(at.link_);
    ++at;
    buckets_.remove(*node);
    delete node;
    return at;
  }
  void clear() {
    while (!empty()) erase(begin());
  }
  void reserve(std::size_t size) { buckets_.reserve(size); }
  void swap(HashTable& other) noexcept { buckets_.swap(other.buckets_); }

 protected:
  HashLink* link_of(const Key& key, std::size_t hash) const {
    HashLink* link = buckets_.bucket(hash);
    while (link != nullptr &&
           !(link->hash == hash && key_of_element(static_cast<Node*>(link)->element) == key)) {
      link = link->next_in_bucket;
    }
    return link;
  }
  template <class... Arguments>
  iterator add_new(std::size_t hash, Arguments&&... arguments) {
    buckets_.reserve(size() + 1);
    Node* const node = new Node(static_cast<Arguments&&>(arguments)...);
    buckets_.add(*node, hash);
    return iterator(node);
  }

 private:
  void add(const Element& element) { add_new(KeyHash()(key_of_element(element)), element); }

  HashBuckets buckets_{};
};

template <class Key, class KeyHash = HashOf<Key>>
class HashSet : public HashTable<Key, const Key, KeyHash> {
 public:
  HashSet() = default;
  HashSet(std::initializer_list<Key> list) { this->insert(list.begin(), list.end()); }
  template <class Iterator>
  requires requires(Iterator at) { *++at; }
  HashSet(Iterator first, Iterator last) { this->insert(first, last); }
};

template <class Key, class T, class KeyHash = HashOf<Key>>
class HashMap : public HashTable<Key, MapEntry<Key, T>, KeyHash> {
  using Table = HashTable<Key, MapEntry<Key, T>, KeyHash>;

 public:
  using typename Table::iterator;

  HashMap() = default;
  HashMap(std::initializer_list<MapEntry<Key, T>> list) { this->insert(list.begin(), list.end()); }

  T& operator[](const Key& key) { return try_emplace(key).first->second; }
  T& at(const Key& key) { return require(this->find(key), this->end())->second; }
  const T& at(const Key& key) const { return require(this->find(key), this->end())->second; }

  template <class... Arguments>
  Inserted<iterator> try_emplace(const Key& key, Arguments&&... arguments) {
    const std::size_t hash = KeyHash()(key);
    if (HashLink* const known = this->link_of(key, hash)) return {iterator(known), false};
    return {this->add_new(hash, key, T(static_cast<Arguments&&>(arguments)...)), true};
  }
  Inserted<iterator> insert_or_assign(const Key& key, T value) {
    auto result = try_emplace(key);
    result.first->second = std::move(value);
    return result;
  }

 private:
  template <class Iterator>
  static Iterator require(Iterator found, Iterator end) {
    if (found == end) throw std::out_of_range("HashMap::at");
    return found;
  }
};

/// Removes the elements for which predicate(element) is true; returns how many it removed.
template <class Key, class Element, class KeyHash, class Predicate>
std::size_t erase_if(HashTable<Key, Element, KeyHash>& from, Predicate predicate) {
  const std::size_t size = from.size();
  for (auto at = from.begin(); at != from.end();) {
    if (predicate(*at)) {
      at = from.erase(at);
    } else {
      ++at;
    }
  }
  return size - from.size();
}

}  // namespace sinter::inline SINTER_ABI::detail
