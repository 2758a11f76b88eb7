#pragma once
// The common part of all maps and sets. An index looks up the keys: the one in hash_map.hpp hashes
// them, the one in sorted_map.hpp compares them.

#include <cstddef>           // std::size_t
#include <initializer_list>  // std::initializer_list
#include <new>               // placement new, __STDCPP_DEFAULT_NEW_ALIGNMENT__
#include <stdexcept>         // std::out_of_range
#include <type_traits>       // std::is_trivially_destructible_v
#include <utility>           // std::move

#include <sinter/base/container/node_memory.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// An element of a map. Unlike std::pair, it has no constructors that are slow to compile.
template <class Key, class T>
struct MapEntry {
  const Key first;
  T second;

  friend bool operator==(const MapEntry&, const MapEntry&) = default;
};

/// The element with the key, and whether this call added it.
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

/// A map or set that finds its elements with an Index. As with std::map, a reference to an element
/// stays valid until the element is erased. The destructor of an element must not access the table.
///
/// The Index links the elements in the order of iteration, but does not own them:
///   Link                 the base class of a node, with a pointer `next`
///   Place                the node with a key, `known`; if that is null, where to add the key
///   place_of<Node>(key)  the place of a key, where Node is a Link with an `element`
///   place_at_end(key)    the place of a key that comes after all others
///   make_room()          called before add(), since it may throw
///   add(link, place), remove(link), remove_all(), first(), size(), swap(index)
template <class Key, class Element, class Index>
class KeyedTable {
  using Link = typename Index::Link;
  struct Node : Link {
    template <class... Arguments>
    explicit Node(Arguments&&... arguments) : element(static_cast<Arguments&&>(arguments)...) {}
    Element element;
  };

 public:
  using value_type = Element;

  // These are aggregates because a constructor would be one more function to compile per table.
  struct const_iterator;
  struct iterator {
    Element& operator*() const { return static_cast<Node*>(link)->element; }
    Element* operator->() const { return &static_cast<Node*>(link)->element; }
    iterator& operator++() {
      link = link->next;
      return *this;
    }
    bool operator==(const iterator& other) const { return link == other.link; }
    operator const_iterator() const { return {link}; }

    Link* link = nullptr;
  };
  struct const_iterator {
    const Element& operator*() const { return static_cast<Node*>(link)->element; }
    const Element* operator->() const { return &static_cast<Node*>(link)->element; }
    const_iterator& operator++() {
      link = link->next;
      return *this;
    }
    bool operator==(const const_iterator& other) const { return link == other.link; }

    Link* link = nullptr;
  };

  KeyedTable() = default;
  KeyedTable(const KeyedTable& other) : KeyedTable() {
    for (const Element& each : other) add_new(index_.place_at_end(key_of_element(each)), each);
  }
  KeyedTable(KeyedTable&& other) noexcept { swap(other); }
  KeyedTable& operator=(KeyedTable other) noexcept {
    swap(other);
    return *this;
  }
  ~KeyedTable() { destroy_elements(); }

  std::size_t size() const { return index_.size(); }
  bool empty() const { return index_.size() == 0; }
  iterator begin() { return {index_.first()}; }
  iterator end() { return {}; }
  const_iterator begin() const { return {index_.first()}; }
  const_iterator end() const { return {}; }

  iterator find(const Key& key) { return {place_of(key).known}; }
  const_iterator find(const Key& key) const { return {place_of(key).known}; }
  bool contains(const Key& key) const { return place_of(key).known != nullptr; }
  std::size_t count(const Key& key) const { return contains(key) ? 1 : 0; }

  /// Adds `element` unless there is one with its key.
  Inserted<iterator> insert(Element element) {
    const auto place = place_of(key_of_element(element));
    if (place.known != nullptr) return {{place.known}, false};
    return {add_new(place, std::move(element)), true};
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
    Node* const node = static_cast<Node*>(at.link);
    ++at;
    index_.remove(*node);
    node->~Node();
    memory_.give_back(node, sizeof(Node));
    return at;
  }
  void clear() {
    destroy_elements();
    index_.remove_all();
    memory_.release();
  }
  void swap(KeyedTable& other) noexcept {
    index_.swap(other.index_);
    memory_.swap(other.memory_);
  }

  /// Makes room for `size` elements in a hash table.
  void reserve(std::size_t size) { index_.reserve(size); }
  /// In a sorted table, the first element whose key is not less than `key`.
  iterator lower_bound(const Key& key) { return {index_.template lower_bound<Node>(key)}; }
  /// In a sorted table, the last element whose key is less than `key`.
  iterator last_below(const Key& key) { return {index_.template last_below<Node>(key)}; }
  /// The last element of a sorted table.
  const Element& back() const { return static_cast<Node*>(index_.last())->element; }
  /// True if sorted tables have equal elements.
  friend bool operator==(const KeyedTable& a, const KeyedTable& b) requires Index::is_sorted {
    if (a.size() != b.size()) return false;
    for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) {
      if (!(*x == *y)) return false;
    }
    return true;
  }

 protected:
  using Place = typename Index::Place;

  Place place_of(const Key& key) const { return index_.template place_of<Node>(key); }
  template <class... Arguments>
  iterator add_new(const Place& place, Arguments&&... arguments) {
    static_assert(alignof(Node) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__, "NodeMemory aligns for it");
    index_.make_room();
    Node* const node =
        ::new (memory_.take(sizeof(Node))) Node(static_cast<Arguments&&>(arguments)...);
    index_.add(*node, place);
    return {node};
  }

 private:
  void destroy_elements() {
    if constexpr (!std::is_trivially_destructible_v<Element>) {
      for (Link* link = index_.first(); link != nullptr;) {
        Node* const node = static_cast<Node*>(link);
        link = link->next;
        node->~Node();
      }
    }
  }

  Index index_{};
  NodeMemory memory_{};
};

template <class Key, class Index>
class KeyedSet : public KeyedTable<Key, const Key, Index> {
 public:
  KeyedSet() = default;
  KeyedSet(std::initializer_list<Key> list) {
    this->insert(list.begin(), list.begin() + list.size());
  }
  template <class Iterator>
  requires requires(Iterator at) { *++at; }
  KeyedSet(Iterator first, Iterator last) { this->insert(first, last); }
};

template <class Key, class T, class Index>
class KeyedMap : public KeyedTable<Key, MapEntry<Key, T>, Index> {
  using Table = KeyedTable<Key, MapEntry<Key, T>, Index>;

 public:
  using typename Table::iterator;

  KeyedMap() = default;
  KeyedMap(std::initializer_list<MapEntry<Key, T>> list) {
    this->insert(list.begin(), list.begin() + list.size());
  }

  T& operator[](const Key& key) { return try_emplace(key).first->second; }
  /// The value of `key`. Throws std::out_of_range if there is none.
  T& at(const Key& key) { return require(this->find(key), this->end())->second; }
  const T& at(const Key& key) const { return require(this->find(key), this->end())->second; }

  template <class... Arguments>
  Inserted<iterator> try_emplace(const Key& key, Arguments&&... arguments) {
    const auto place = this->place_of(key);
    if (place.known != nullptr) return {{place.known}, false};
    return {this->add_new(place, key, T(static_cast<Arguments&&>(arguments)...)), true};
  }
  Inserted<iterator> insert_or_assign(const Key& key, T value) {
    auto result = try_emplace(key);
    result.first->second = std::move(value);
    return result;
  }

 private:
  template <class Iterator>
  static Iterator require(Iterator found, Iterator end) {
    if (found == end) throw std::out_of_range("no element has the key");
    return found;
  }
};

/// Removes the elements for which predicate(element) is true; returns how many it removed.
template <class Key, class Element, class Index, class Predicate>
std::size_t erase_if(KeyedTable<Key, Element, Index>& from, Predicate predicate) {
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
