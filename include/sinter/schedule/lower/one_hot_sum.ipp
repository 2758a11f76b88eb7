#pragma once

#include <algorithm>  // std::all_of
#include <utility>    // std::move, std::swap
#include <vector>     // std::vector

#include <sinter/schedule/loop/nest.hpp>
#include <sinter/schedule/lower/one_hot_sum.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

SINTER_INLINE bool is_zero(const Instruction& one) {
  if (one.code != Code::constant) return false;
  return is_floating(one.dtype) ? one.constant.floating() == 0 : one.constant.bits == 0;
}

// What keeps 0 as it is, but for its sign.
SINTER_INLINE bool keeps_zero(const Instruction& one) {
  return one.code == Code::compute && (one.op == Op::neg || one.op == Op::cast);
}

// The variable of a bind that `row`, over `extent`, has to be equal to; the
// number 0 if `id` does not say so.
SINTER_INLINE Extent only_position(const Lowering& lowering, ValueId id, Extent row) {
  const Instruction& equal = lowering[id];
  if (equal.code != Code::compute || equal.op != Op::eq) return 0;
  const Instruction *position = &lowering[equal.operands[0]], *bound = &lowering[equal.operands[1]];
  if (!same(position->index, row)) std::swap(position, bound);
  const bool are_indices = position->code == Code::index && bound->code == Code::index;
  if (!are_indices || !same(position->index, row)) return 0;
  const Extent variable = bound->index;
  const bool fits = variable.is_range() && lowering.is_bound(variable) &&
                    !lowering.varies(variable) && same(variable.range_extent(), row.range_extent());
  return fits ? variable : Extent(0);
}

// `id`, in terms of `row`, where that is `variable`: in `slot`, after the loop.
SINTER_INLINE ValueId copied_at(Lowering& lowering, ValueId id, Extent row, Extent variable,
                                Slot slot) {
  if (!is_loop(lowering.known_from(id))) return id;
  Instruction one = lowering[id];
  for_each_extent(one, [&](Extent& extent) { extent = substitute(extent, row, variable); });
  for (ValueId& operand : one.operands) operand = copied_at(lowering, operand, row, variable, slot);
  return lowering.append(slot, std::move(one));
}

SINTER_INLINE bool can_be_copied(const Lowering& lowering, ValueId id) {
  if (!is_loop(lowering.known_from(id))) return true;
  const Instruction& one = lowering[id];
  const bool plain = one.code == Code::load || one.code == Code::constant ||
                     one.code == Code::index || one.code == Code::inside ||
                     one.code == Code::compute || one.code == Code::random;
  return plain && std::all_of(one.operands.begin(), one.operands.end(),
                              [&](ValueId operand) { return can_be_copied(lowering, operand); });
}

SINTER_INLINE ValueId one_hot_sum(Lowering& lowering, const Index& rows, ValueId id, Slot slot) {
  const std::vector<Loop> loops = loops_over(rows);
  if (loops.size() != 1) return -1;
  std::vector<ValueId> outside;
  while (keeps_zero(lowering[id])) {
    outside.push_back(id);
    id = lowering[id].operands[0];
  }
  const Instruction& choice = lowering[id];
  const bool masks = choice.code == Code::compute && choice.op == Op::select &&
                     is_zero(lowering[choice.operands[2]]);
  if (!masks || !can_be_copied(lowering, choice.operands[1])) return -1;
  const Extent row = loops[0].variable, variable = only_position(lowering, choice.operands[0], row);
  if (variable.is_number()) return -1;
  ValueId result = copied_at(lowering, choice.operands[1], row, variable, slot);
  for (std::size_t i = outside.size(); i-- > 0;) {
    Instruction one = lowering[outside[i]];
    one.operands = {result};
    result = lowering.append(slot, std::move(one));
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
