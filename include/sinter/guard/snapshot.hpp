#pragma once
// Snapshots of arguments, one word each, for a fast comparison with those of the next call: module
// state usually consists of the same handles as before.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::uint64_t
#include <type_traits>  // std::is_const_v

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/value/watch.hpp>

namespace sinter::inline SINTER_ABI::detail::guard {

/// A snapshot of the arguments of a call. It holds no tensors; the watch detects destroyed state.
struct Snapshot {
  const void* type = nullptr;  ///< Identifies the argument types; null if there was no call.
  std::uint64_t watch = 0;     ///< The value of watch_count().
  std::uint64_t scopes = 0;    ///< The scope_word() of the call.
  Vector<std::uint64_t> words{};
};

namespace detail {

inline std::uint64_t word_of(const Tensor& value) {
  return reinterpret_cast<std::uintptr_t>(value.lazy().get()) + value.result();
}

template <class T, class Put>
void put_plain(const T& value, Put put) {
  if constexpr (std::is_same_v<T, std::string>) {
    const Hash hash = hash_of(std::string_view(value));
    put(hash.high), put(hash.low);
  } else {
    put_number(value, put);
  }
}

// Writes the words. Module state is watched. For other tensors it writes only whether they are
// defined, because they change from call to call.
class SnapshotWriter : public LeafVisitor {
 public:
  SnapshotWriter(Snapshot& snapshot, bool is_module_state)
      : words_(snapshot.words), is_module_state_(is_module_state) {}

  void tensor(const Tensor& value, const LeafName&) { add(value); }
  void typed(const auto& value, const LeafName&) { add(value.tensor()); }
  void scalar(const Scalar& value, const LeafName&) { add(value.tensor()); }
  void buffer(const nn::Buffer& value, const LeafName&) { add(value.value); }
  void plain(const auto& value, const LeafName&) { put(value); }
  void structure(std::size_t size, const LeafName&) { words_.push_back(size); }
  void key(const auto& value, const LeafName&) { put(value); }

 private:
  void add(const Tensor& value) {
    if (!is_module_state_) return words_.push_back(value.defined() ? 1 : 0);
    if (value.defined()) watch(*value.lazy());
    words_.push_back(word_of(value));
  }
  void put(const auto& value) {
    put_plain(value, [this](std::uint64_t word) { words_.push_back(word); });
  }

  Vector<std::uint64_t>& words_;
  bool is_module_state_;
};

}  // namespace detail

/// The progress of comparing a call with a snapshot.
struct Comparison {
  const std::uint64_t* next = nullptr;  ///< The next word.
  Leaf* leaf = nullptr;                 ///< The next leaf.
  const Leaf* first = nullptr;
  Vector<std::uint32_t>* unwatched = nullptr;  ///< Gets the leaves that are not watched.
  bool moves = false;  ///< Updates the address of every leaf, not only of unwatched ones.
  bool equal = true;
};

namespace detail {

// Structure is compared immediately, because it decides how the walk goes on; nothing is read after
// a difference.
template <bool is_module_state>
class SnapshotComparer : public LeafVisitor {
 public:
  explicit SnapshotComparer(const Comparison& state) : state_(state) {}

  const Comparison& state() const { return state_; }

  bool is_done() const { return !state_.equal; }
  void tensor(auto& value, const LeafName&) { compare(value); }
  void typed(auto& value, const LeafName&) { compare(value.tensor()); }
  void scalar(auto& value, const LeafName&) { compare(value.tensor()); }
  void buffer(auto& value, const LeafName&) { compare(value.value); }
  void plain(const auto& value, const LeafName&) { check(value); }
  void structure(std::size_t size, const LeafName&) {
    state_.equal = state_.equal && *state_.next++ == size;
  }
  void key(const auto& value, const LeafName&) { check(value); }

 private:
  void compare(auto& value) {
    if (!state_.equal) return;
    const std::uint64_t word = *state_.next++;
    if (word != (is_module_state ? word_of(value) : value.defined() ? 1 : 0)) {
      return void(state_.equal = false);
    }
    if (word == 0) return;
    if (!is_module_state || state_.moves) state_.leaf->tensor = const_cast<Tensor*>(&value);
    if (!is_module_state) {
      state_.unwatched->push_back(static_cast<std::uint32_t>(state_.leaf - state_.first));
    }
    ++state_.leaf;
  }
  void check(const auto& value) {
    put_plain(value, [this](std::uint64_t word) {
      state_.equal = state_.equal && *state_.next++ == word;
    });
  }

  Comparison state_;
};

}  // namespace detail

/// Adds the words of the argument `value`.
template <class T>
void note(T& value, Snapshot& snapshot) {
  detail::SnapshotWriter noter(snapshot, detail::holds_module<T>);
  walk(value, noter, {});
}

/// Compares the next argument, `value`.
template <class T>
void compare(T& value, Comparison& state) {
  detail::SnapshotComparer<detail::holds_module<T>> comparer(state);
  walk(value, comparer, {});
  state = comparer.state();
}

}  // namespace sinter::inline SINTER_ABI::detail::guard
