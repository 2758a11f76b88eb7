#pragma once

#include <utility>  // std::pair

#include <sinter/base/container/vector.hpp>
#include <sinter/trace/value/walk.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE Lazy* ValueWalk::target(Lazy* lazy) const {
  const bool stops = detached_ != Detached::as_values;
  while (lazy->stands_for && !(stops && lazy->is_detached)) lazy = lazy->stands_for.get();
  return lazy;
}

// The evaluated control-flow node that `lazy` is a result of; else null.
SINTER_INLINE const Lazy* evaluated_control(const Lazy& lazy) {
  if (lazy.node.op != Op::reshape || lazy.expression || lazy.operands.empty()) return nullptr;
  const Lazy* const from = lazy.operands[0].lazy.get();
  return from->elements.size() > 1 ? from : nullptr;
}

// True if the operands of `lazy`, or of the control flow that it is a result of, were released:
// gradients cannot flow through it.
SINTER_INLINE bool has_released_operands(const Lazy& lazy) {
  if (lazy.operands.empty()) return true;
  const Lazy* const control = evaluated_control(lazy);
  return control != nullptr && control->operands.empty();
}

// What was evaluated while a gradient was being found is still differentiated; in a recorded
// program it is an input.
SINTER_INLINE bool ValueWalk::is_leaf(const Lazy& lazy) const {
  if (lazy.is_detached && detached_ == Detached::as_casts) {
    const Lazy& from = *operand(lazy, 0);
    return from.evaluated() || (from.node.op == Op::input && !from.is_detached);
  }
  if (lazy.is_detached && detached_ == Detached::as_nodes) return false;
  const bool goes_on = detached_ == Detached::as_inputs || detached_ == Detached::as_casts;
  const bool has_elements = lazy.evaluated() && (!goes_on || has_released_operands(lazy));
  return has_elements || lazy.node.op == Op::input;
}

SINTER_INLINE std::size_t ValueWalk::operand_count(const Lazy& lazy) {
  return lazy.is_detached ? 1 : lazy.operands.size();
}

SINTER_INLINE Lazy* ValueWalk::operand(const Lazy& lazy, std::size_t i) const {
  return target(lazy.is_detached ? lazy.stands_for.get() : lazy.operands[i].lazy.get());
}

// Gives `lazy` its elements if it is a result of control flow, whose results are evaluated
// together.
SINTER_INLINE void take_result(Lazy& lazy) {
  if (lazy.evaluated()) return;
  const Lazy* const control = evaluated_control(lazy);
  if (control != nullptr) lazy.elements.push_back(control->elements[lazy.operands[0].result]);
}

// Iterative, since chains may be long.
SINTER_INLINE void ValueWalk::visit(Lazy* root,
                                    FunctionRef<bool(const Lazy& reader, Lazy* operand)> skips,
                                    FunctionRef<void(Lazy&)> add) const {
  Vector<std::pair<Lazy*, std::size_t>> path;
  path.reserve(32);
  path.emplace_back(root, 0);
  while (!path.empty()) {
    auto& [lazy, next] = path.back();
    take_result(*lazy);
    if (next < operand_count(*lazy) && !is_leaf(*lazy)) {
      Lazy* const from = operand(*lazy, next++);
      if (!skips(*lazy, from)) path.emplace_back(from, 0);
      continue;
    }
    add(*lazy);
    path.pop_back();
  }
}

}  // namespace sinter::inline SINTER_ABI::detail
