#pragma once
// Sorted maps and sets that compile quickly, since what does not depend on the types of keys and
// values is shared: see docs/decisions/containers.md.

#include <cstddef>           // std::size_t
#include <cstdint>           // std::uint32_t
#include <initializer_list>  // std::initializer_list
#include <stdexcept>         // std::out_of_range
#include <utility>           // std::move, std::swap

#include <sinter/base/container/map_entry.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// An element of a treap: a search tree that is balanced by giving each element a random priority,
/// which no child of it exceeds. The elements are also linked in their order.
struct TreeLink {
  TreeLink* parent = nullptr;
  TreeLink* left = nullptr;
  TreeLink* right = nullptr;
  TreeLink* previous = nullptr;
  TreeLink* next = nullptr;
  std::uint32_t priority = 0;
};

/// The links of a treap; does not own the elements.
class Tree {
 public:
  Tree() = default;
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  TreeLink* root() const { return root_; }
  TreeLink* first() const { return first_; }
  TreeLink* last() const { return last_; }
  std::size_t size() const { return size_; }

  /// Adds `link` as the missing left or right child of `parent`; null if the tree is empty.
  void add(TreeLink& link, TreeLink* parent, bool left) noexcept {
    link.parent = parent;
    link.priority = next_priority();
    if (parent == nullptr) {
      root_ = &link;
    } else if (left) {
      parent->left = &link;
      link.next = parent;
      link.previous = parent->previous;
    } else {
      parent->right = &link;
      link.previous = parent;
      link.next = parent->next;
    }
    (link.previous == nullptr ? first_ : link.previous->next) = &link;
    (link.next == nullptr ? last_ : link.next->previous) = &link;
    ++size_;
    while (link.parent != nullptr && link.parent->priority < link.priority) rotate_up(link);
  }
  void remove(TreeLink& link) noexcept {
    while (link.left != nullptr || link.right != nullptr) {
      const bool left = link.right == nullptr ||
                        (link.left != nullptr && link.left->priority > link.right->priority);
      rotate_up(left ? *link.left : *link.right);
    }
    pointer_to(link) = nullptr;
    (link.previous == nullptr ? first_ : link.previous->next) = link.next;
    (link.next == nullptr ? last_ : link.next->previous) = link.previous;
    --size_;
  }
  void swap(Tree& other) noexcept {
    std::swap(root_, other.root_);
    std::swap(first_, other.first_);
    std::swap(last_, other.last_);
    std::swap(size_, other.size_);
  }

 private:
  TreeLink*& pointer_to(TreeLink& link) {
    if (link.parent == nullptr) return root_;
    return link.parent->left == &link ? link.parent->left : link.parent->right;
  }
  /// Exchanges `child` with its parent, which becomes its child.
  void rotate_up(TreeLink& child) {
    TreeLink& parent = *child.parent;
    const bool left = parent.left == &child;
    TreeLink*& inner = left ? child.right : child.left;
    pointer_to(parent) = &child;
    child.parent = parent.parent;
    parent.parent = &child;
    (left ? parent.left : parent.right) = inner;
    if (inner != nullptr) inner->parent = &parent;
    inner = &parent;
  }
  std::uint32_t next_priority() {  // xorshift
    random_ ^= random_ << 13;
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    return random_;
  }

  TreeLink* root_ = nullptr;
  TreeLink* first_ = nullptr;
  TreeLink* last_ = nullptr;
  std::size_t size_ = 0;
  std::uint32_t random_ = 2463534242;
};

/// What SortedMap and SortedSet have in common. As in std::map, references to an element stay valid
/// until it is erased. Iteration is in the order of keys, which `<` compares.
template <class Key, class Element>
class SortedTable {
  struct Node : TreeLink {
    template <class... Arguments>
    explicit Node(Arguments&&... arguments) : element(static_cast<Arguments&&>(arguments)...) {}
    Element element;
  };

 public:
  using value_type = Element;

  class iterator {
   public:
    iterator() = default;
    explicit iterator(TreeLink* link) : link_(link) {}
    Element& operator*() const { return static_cast<Node*>(link_)->element; }
    Element* operator->() const { return &static_cast<Node*>(link_)->element; }
    iterator& operator++() {
      link_ = link_->next;
      return *this;
    }
    bool operator==(const iterator& other) const { return link_ == other.link_; }

   private:
    friend SortedTable;
    TreeLink* link_ = nullptr;
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
    bool operator==(const const_iterator& other) const { return at_ == other.at_; }

   private:
    iterator at_{};
  };

  SortedTable() = default;
  SortedTable(const SortedTable& other) : SortedTable() {
    for (const Element& each : other) add(new Node(each), tree_.last(), false);
  }
  SortedTable(SortedTable&& other) noexcept { tree_.swap(other.tree_); }
  SortedTable& operator=(SortedTable other) noexcept {
    tree_.swap(other.tree_);
    return *this;
  }
  ~SortedTable() { clear(); }

  std::size_t size() const { return tree_.size(); }
  bool empty() const { return tree_.size() == 0; }
  iterator begin() { return iterator(tree_.first()); }
  iterator end() { return iterator(); }
  const_iterator begin() const { return iterator(tree_.first()); }
  const_iterator end() const { return {}; }

  iterator find(const Key& key) { return iterator(link_of(key)); }
  const_iterator find(const Key& key) const { return iterator(link_of(key)); }
  bool contains(const Key& key) const { return link_of(key) != nullptr; }
  std::size_t count(const Key& key) const { return link_of(key) != nullptr ? 1 : 0; }
  /// The first element whose key is not less than `key`.
  iterator lower_bound(const Key& key) {
    TreeLink* result = nullptr;
    for (TreeLink* link = tree_.root(); link != nullptr;) {
      const bool is_less = key_of(link) < key;
      if (!is_less) result = link;
      link = is_less ? link->right : link->left;
    }
    return iterator(result);
  }

  /// The last element whose key is less than `key`.
  iterator last_below(const Key& key) {
    TreeLink* result = nullptr;
    for (TreeLink* link = tree_.root(); link != nullptr;) {
      const bool is_less = key_of(link) < key;
      if (is_less) result = link;
      link = is_less ? link->right : link->left;
    }
    return iterator(result);
  }
  const Element& back() const { return static_cast<Node*>(tree_.last())->element; }

  /// Adds `element` unless there is one with its key.
  Inserted<iterator> insert(Element element) {
    const Place place = place_of(key_of_element(element));
    if (place.known != nullptr) return {iterator(place.known), false};
    return {add(new Node(std::move(element)), place.parent, place.left), true};
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
    tree_.remove(*node);
    delete node;
    return at;
  }
  void clear() {
    while (tree_.first() != nullptr) erase(begin());
  }

  friend bool operator==(const SortedTable& a, const SortedTable& b) {
    if (a.size() != b.size()) return false;
    for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) {
      if (!(*x == *y)) return false;
    }
    return true;
  }

 protected:
  /// Where the element with a key is; if there is none, where it would be.
  struct Place {
    TreeLink* known = nullptr;
    TreeLink* parent = nullptr;
    bool left = false;
  };
  static const Key& key_of(TreeLink* link) {
    return key_of_element(static_cast<Node*>(link)->element);
  }
  Place place_of(const Key& key) const {
    Place result;
    for (TreeLink* link = tree_.root(); link != nullptr;) {
      result.parent = link;
      result.left = key < key_of(link);
      if (!result.left && !(key_of(link) < key)) return {.known = link};
      link = result.left ? link->left : link->right;
    }
    return result;
  }
  TreeLink* link_of(const Key& key) const { return place_of(key).known; }
  template <class... Arguments>
  iterator add_new(const Place& place, Arguments&&... arguments) {
    return add(new Node(static_cast<Arguments&&>(arguments)...), place.parent, place.left);
  }

 private:
  iterator add(Node* node, TreeLink* parent, bool left) {
    tree_.add(*node, parent, left);
    return iterator(node);
  }

  Tree tree_{};
};

template <class Key>
class SortedSet : public SortedTable<Key, const Key> {
 public:
  SortedSet() = default;
  SortedSet(std::initializer_list<Key> list) { this->insert(list.begin(), list.end()); }
  template <class Iterator>
  requires requires(Iterator at) { *++at; }
  SortedSet(Iterator first, Iterator last) { this->insert(first, last); }
};

template <class Key, class T>
class SortedMap : public SortedTable<Key, MapEntry<Key, T>> {
  using Table = SortedTable<Key, MapEntry<Key, T>>;

 public:
  using typename Table::iterator;

  SortedMap() = default;
  SortedMap(std::initializer_list<MapEntry<Key, T>> list) {
    this->insert(list.begin(), list.end());
  }

  T& operator[](const Key& key) { return try_emplace(key).first->second; }
  const T& at(const Key& key) const {
    const auto found = this->find(key);
    if (found == this->end()) throw std::out_of_range("SortedMap::at");
    return found->second;
  }

  template <class... Arguments>
  Inserted<iterator> try_emplace(const Key& key, Arguments&&... arguments) {
    const auto place = this->place_of(key);
    if (place.known != nullptr) return {iterator(place.known), false};
    return {this->add_new(place, key, T(static_cast<Arguments&&>(arguments)...)), true};
  }
  Inserted<iterator> insert_or_assign(const Key& key, T value) {
    auto result = try_emplace(key);
    result.first->second = std::move(value);
    return result;
  }
};

}  // namespace sinter::inline SINTER_ABI::detail
