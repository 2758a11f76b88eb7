#pragma once

#include <utility>  // std::exchange

#include <sinter/base/container/vector.hpp>
#include <sinter/trace/subgraph/value_key.hpp>
#include <sinter/trace/value/hash.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE std::size_t ValuePositions::slot_of(const Lazy* lazy) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(word_of_address(lazy) * 0x9e3779b97f4a7c15 >> 32);
  for (slot &= mask; slots_[slot].lazy != nullptr && slots_[slot].lazy != lazy;) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

SINTER_INLINE void ValuePositions::add(const Lazy* lazy) {
  if (2 * count_ == slots_.size()) {
    const Vector<Slot> before = std::exchange(slots_, Vector<Slot>(2 * slots_.size()));
    for (const Slot& slot : before) {
      if (slot.lazy != nullptr) slots_[slot_of(slot.lazy)] = slot;
    }
  }
  slots_[slot_of(lazy)] = {lazy, count_++};
}

SINTER_INLINE void ValueKey::append(Lazy& lazy) {
  hasher_.add(target_of(&lazy)->elements.size());
  positions_.add(&lazy);
  values_.push_back(&lazy);
}

SINTER_INLINE void ValueKey::add_leaf(Lazy& lazy) {
  hasher_.add("input").add(lazy.node.results.size());
  for (const TensorType& type : lazy.node.results) {
    hasher_.add(static_cast<std::uint64_t>(type.dtype));
    add_shape(hasher_, type.shape);
  }
  append(lazy);
}

SINTER_INLINE void ValueKey::add_any(Lazy& lazy) {
  if (walk_.is_leaf(lazy)) return add_leaf(lazy);
  const bool is_number = lazy.node.op == Op::constant && !lazy.expression;
  if (is_number) numbers_.push_back(&lazy);
  add_value(hasher_, lazy, is_number,
            [&](Lazy& operand) { return positions_.find(walk_.target(&operand)); });
  hasher_.add(word_of_address(lazy.node.path)).add(word_of_address(lazy.node.called));
  append(lazy);
}

SINTER_INLINE void ValueKey::add_input(const Tensor& value) {
  Lazy& lazy = *walk_.target(value.lazy().get());
  if (positions_.find(&lazy) == ValuePositions::none) add_leaf(lazy);
}

SINTER_INLINE void ValueKey::add(const Tensor& value) {
  Lazy& lazy = *walk_.target(value.lazy().get());
  const auto is_known = [&](const Lazy* other) {
    return positions_.find(other) != ValuePositions::none;
  };
  if (!is_known(&lazy)) {
    walk_.visit(
        &lazy, [&](const Lazy&, Lazy* operand) { return is_known(operand); },
        [&](Lazy& next) { add_any(next); });
  }
  hasher_.add(positions_.find(&lazy)).add(value.result());
}

}  // namespace sinter::inline SINTER_ABI::detail
