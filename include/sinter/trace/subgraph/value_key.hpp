#pragma once
// A hash key for the computation of values, cheaper than building a graph.

#include <cstdint>  // std::uint32_t

#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/value/walk.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A hash table from values to their positions in a list.
class ValuePositions {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  ValuePositions() : slots_(128) {}
  std::uint32_t find(const Lazy* lazy) const { return slots_[slot_of(lazy)].position; }
  /// Appends `lazy`, which is not in the list yet.
  void add(const Lazy* lazy);

 private:
  struct Slot {
    const Lazy* lazy = nullptr;
    std::uint32_t position = none;
  };
  std::size_t slot_of(const Lazy* lazy) const;  // its slot, or the free slot for it

  Vector<Slot> slots_;  // a power of two, at most half of them taken
  std::uint32_t count_ = 0;
};

/// Equal hashes mean: the same operations, on the same lines, on inputs of the same types. The
/// numbers of the program are not part of the hash. Valid in this process only.
class ValueKey {
 public:
  explicit ValueKey(Detached detached) : walk_(detached) {}

  /// Adds `value` as an input, without its operands.
  void add_input(const Tensor& value);
  void add(const Tensor& value);

  Hash hash() const { return hasher_.result(); }
  /// All values that were reached, operands first.
  const Vector<Lazy*>& values() const { return values_; }
  /// The constants among values().
  const Vector<Lazy*>& numbers() const { return numbers_; }

 private:
  void add_leaf(Lazy& lazy);
  void add_any(Lazy& lazy);
  void append(Lazy& lazy);

  ValueWalk walk_;
  Hasher hasher_{};
  ValuePositions positions_{};
  Vector<Lazy*> values_{}, numbers_{};
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/subgraph/value_key.ipp>
#endif
