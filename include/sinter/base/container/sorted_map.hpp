#pragma once
// Sorted maps and sets that compile quickly, since what does not depend on the types of keys and
// values is shared: see docs/decisions/containers.md.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::uint32_t
#include <utility>  // std::swap

#include <sinter/base/container/keyed_table.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A node of a treap: a search tree whose nodes have random priorities. No child has a higher
/// priority than its parent, which keeps the tree balanced. A list links the nodes in key order.
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
  void remove_all() noexcept {
    root_ = nullptr;
    first_ = last_ = nullptr;
    size_ = 0;
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

/// Looks up keys with `<`. Iteration follows that order.
template <class Key>
class TreeIndex : public Tree {
 public:
  using Link = TreeLink;
  /// If `known` is null, the key belongs below `parent`, as its left or right child.
  struct Place {
    TreeLink* known = nullptr;
    TreeLink* parent = nullptr;
    bool left = false;
  };
  static constexpr bool is_sorted = true;

  template <class Node>
  Place place_of(const Key& key) const {
    Place result;
    for (TreeLink* link = root(); link != nullptr;) {
      result.parent = link;
      result.left = key < key_of<Node>(link);
      if (!result.left && !(key_of<Node>(link) < key)) return {.known = link};
      link = result.left ? link->left : link->right;
    }
    return result;
  }
  Place place_at_end(const Key&) const { return {.parent = last()}; }
  void make_room() {}
  void add(TreeLink& link, const Place& place) noexcept {
    Tree::add(link, place.parent, place.left);
  }

  template <class Node>
  TreeLink* lower_bound(const Key& key) const {
    return around<Node>(key).not_below;
  }
  template <class Node>
  TreeLink* last_below(const Key& key) const {
    return around<Node>(key).below;
  }

 private:
  struct Neighbours {
    TreeLink* below = nullptr;
    TreeLink* not_below = nullptr;
  };

  template <class Node>
  static const Key& key_of(TreeLink* link) {
    return key_of_element(static_cast<Node*>(link)->element);
  }
  template <class Node>
  Neighbours around(const Key& key) const {
    Neighbours result;
    for (TreeLink* link = root(); link != nullptr;) {
      const bool is_below = key_of<Node>(link) < key;
      (is_below ? result.below : result.not_below) = link;
      link = is_below ? link->right : link->left;
    }
    return result;
  }
};

template <class Key>
using SortedSet = KeyedSet<Key, TreeIndex<Key>>;
template <class Key, class T>
using SortedMap = KeyedMap<Key, T, TreeIndex<Key>>;

}  // namespace sinter::inline SINTER_ABI::detail
