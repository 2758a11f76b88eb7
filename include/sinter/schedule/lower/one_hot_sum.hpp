#pragma once
// Simplifies sums over a one-hot mask: sum(where(arange(n) == i, x, 0)) is x[i].

#include <utility>  // std::move, std::swap

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/schedule/lower/kernel_builder.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

inline bool is_zero(const Instruction& one) {
  if (one.code != Code::constant) return false;
  return is_floating(one.dtype) ? one.constant.floating() == 0 : one.constant.bits == 0;
}

// Whether `one` maps 0 to 0 or -0.
inline bool keeps_zero(const Instruction& one) {
  return one.code == Code::compute && (one.op == Op::neg || one.op == Op::cast);
}

// If `id` compares the position `row` for equality with the variable of a bind: that variable. Else
// the number 0.
inline Extent only_position(const KernelBuilder& builder, ValueId id, Extent row) {
  const Instruction& equal = builder[id];
  if (equal.code != Code::compute || equal.op != Op::eq) return 0;
  const Instruction *position = &builder[equal.operands[0]], *bound = &builder[equal.operands[1]];
  if (!same(position->index, row)) std::swap(position, bound);
  const bool are_indices = position->code == Code::index && bound->code == Code::index;
  if (!are_indices || !same(position->index, row)) return 0;
  const Extent variable = bound->index;
  const bool fits = variable.is_range() && builder.is_bound(variable) &&
                    !builder.varies(variable) && same(variable.range_extent(), row.range_extent());
  return fits ? variable : Extent(0);
}

// Copies the expression `id` to `slot`, after the loop, with `variable` for `row`.
inline ValueId copied_at(KernelBuilder& builder, ValueId id, Extent row, Extent variable,
                         Slot slot) {
  if (!is_loop(builder.known_from(id))) return id;
  Instruction one = builder[id];
  for_each_extent(one, [&](Extent& extent) { extent = substitute(extent, row, variable); });
  for (ValueId& operand : one.operands) operand = copied_at(builder, operand, row, variable, slot);
  return builder.append(slot, std::move(one));
}

inline bool can_be_copied(const KernelBuilder& builder, ValueId id) {
  if (!is_loop(builder.known_from(id))) return true;
  const Instruction& one = builder[id];
  const bool plain = one.code == Code::load || one.code == Code::constant ||
                     one.code == Code::index || one.code == Code::inside ||
                     one.code == Code::compute || one.code == Code::random;
  return plain &&
         all_of(one.operands, [&](ValueId operand) { return can_be_copied(builder, operand); });
}

/// The sum of `id` over the loop along `rows` in `slot`, if at most one term is not 0; -1 if that
/// is not known.
inline ValueId one_hot_sum(KernelBuilder& builder, const Index& rows, ValueId id, Slot slot) {
  const Vector<Loop> loops = loops_over(rows);
  if (loops.size() != 1) return -1;
  Vector<ValueId> outside;
  while (keeps_zero(builder[id])) {
    outside.push_back(id);
    id = builder[id].operands[0];
  }
  const Instruction& choice = builder[id];
  const bool masks = choice.code == Code::compute && choice.op == Op::select &&
                     is_zero(builder[choice.operands[2]]);
  if (!masks || !can_be_copied(builder, choice.operands[1])) return -1;
  const Extent row = loops[0].variable, variable = only_position(builder, choice.operands[0], row);
  if (variable.is_number()) return -1;
  ValueId result = copied_at(builder, choice.operands[1], row, variable, slot);
  for (std::size_t i = outside.size(); i-- > 0;) {
    Instruction one = builder[outside[i]];
    one.operands = {result};
    result = builder.append(slot, std::move(one));
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
