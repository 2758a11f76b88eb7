#pragma once
// What values are computed from, found without a graph being made of them.

#include <cstdint>  // std::uint32_t
#include <vector>   // std::vector

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/tensor.hpp>
#include <sinter/trace/value_walk.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Where values are in a list; small, and made anew for each list.
class ValuePositions {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  ValuePositions() : slots_(128) {}
  std::uint32_t find(const Lazy* lazy) const { return slots_[slot_of(lazy)].position; }
  /// `lazy` is not in the list yet.
  void add(const Lazy* lazy);

 private:
  struct Slot {
    const Lazy* lazy = nullptr;
    std::uint32_t position = none;
  };
  std::size_t slot_of(const Lazy* lazy) const;  // where it is, or would be

  std::vector<Slot> slots_;  // a power of two, at most half of them taken
  std::uint32_t count_ = 0;
};

/// Equal for values that the same operations of the same lines compute from inputs of the same
/// types, in this process; what the numbers of the program are does not count.
class ValueKey {
 public:
  explicit ValueKey(Detached detached) : walk_(detached) {}

  /// `value` is an input; what it is computed from is not looked at.
  void add_input(const Tensor& value);
  void add(const Tensor& value);

  Hash hash() const { return hasher_.result(); }
  /// Each value that was reached, after those that it is computed from.
  const std::vector<Lazy*>& values() const { return values_; }
  /// Those of them that are numbers of the program, as constants.
  const std::vector<Lazy*>& numbers() const { return numbers_; }

 private:
  void add_leaf(Lazy& lazy);
  void add_any(Lazy& lazy);
  void append(Lazy& lazy);

  ValueWalk walk_;
  Hasher hasher_{};
  ValuePositions positions_{};
  std::vector<Lazy*> values_{}, numbers_{};
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/value_key.ipp>
#endif
