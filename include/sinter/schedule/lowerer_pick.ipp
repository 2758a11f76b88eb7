#pragma once

// Sums of which all terms but one are 0: sum(where(arange(n) == i, x, 0)) is
// x[i].

#include <algorithm>  // std::all_of
#include <utility>    // std::move, std::swap

#include <sinter/schedule/loops.hpp>
#include <sinter/schedule/lowerer.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

SINTER_INLINE bool is_zero(const Instruction& one) {
  if (one.code != Code::constant) return false;
  return is_floating(one.dtype) ? one.constant.floating() == 0 : one.constant.bits == 0;
}

// What keeps 0 as it is, but for its sign.
SINTER_INLINE bool keeps_zero(const Instruction& one) {
  return one.code == Code::compute && (one.op == Op::neg || one.op == Op::cast);
}

}  // namespace detail

// The variable of a bind that `row`, over `extent`, has to be equal to; the
// number 0 if `id` does not say so.
SINTER_INLINE Extent Lowerer::only_position(ValueId id, Extent row) const {
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
SINTER_INLINE ValueId Lowerer::copied_at(ValueId id, Extent row, Extent variable, Slot slot) {
  if (!is_loop(lowering.known_from(id))) return id;
  Instruction one = lowering[id];
  for_each_extent(one, [&](Extent& extent) { extent = substitute(extent, row, variable); });
  for (ValueId& operand : one.operands) operand = copied_at(operand, row, variable, slot);
  return lowering.append(slot, std::move(one));
}

SINTER_INLINE bool Lowerer::can_be_copied(ValueId id) const {
  if (!is_loop(lowering.known_from(id))) return true;
  const Instruction& one = lowering[id];
  const bool plain = one.code == Code::load || one.code == Code::constant ||
                     one.code == Code::index || one.code == Code::inside ||
                     one.code == Code::compute || one.code == Code::random;
  return plain && std::all_of(one.operands.begin(), one.operands.end(),
                              [&](ValueId operand) { return can_be_copied(operand); });
}

// The sum of `id` over the row, if only one term is not 0, in `slot`; -1 if
// that is not known.
SINTER_INLINE ValueId Lowerer::picked(NodeId of, ValueId id, Slot slot) {
  const std::vector<Loop> loops = loops_over(rows_);
  if (loops.size() != 1 || node(of).op != Op::sum) return -1;
  std::vector<ValueId> outside;
  while (detail::keeps_zero(lowering[id])) {
    outside.push_back(id);
    id = lowering[id].operands[0];
  }
  const Instruction& choice = lowering[id];
  const bool masks = choice.code == Code::compute && choice.op == Op::select &&
                     detail::is_zero(lowering[choice.operands[2]]);
  if (!masks || !can_be_copied(choice.operands[1])) return -1;
  const Extent row = loops[0].variable, variable = only_position(choice.operands[0], row);
  if (variable.is_number()) return -1;
  ValueId result = copied_at(choice.operands[1], row, variable, slot);
  for (std::size_t i = outside.size(); i-- > 0;) {
    Instruction one = lowering[outside[i]];
    one.operands = {result};
    result = lowering.append(slot, std::move(one));
  }
  const DType dtype = lowering[result].dtype;
  if (!is_floating(dtype)) return result;
  // A sum that begins with 0 is never -0.
  const ValueId zero = constant(of, sinter::detail::constant(0, dtype), slot);
  return compute(of, Op::add, dtype, {result, zero}, slot);
}

// Sums begin at 0, and 0 + -0 is 0: strict numerics keep the sign that the eager backend gives.
SINTER_INLINE ValueId Lowerer::sum_of_one(NodeId of, ValueId element, DType dtype, Slot slot) {
  if (!fusion_.strict || !is_floating(dtype)) return element;
  return compute(of, Op::add, dtype,
                 {element, constant(of, sinter::detail::constant(0, dtype), slot)}, slot);
}

// Floating numbers are combined in f64, as the interpreter does: a row may be long.
SINTER_INLINE ValueId Lowerer::cumulate(NodeId of, Slot slot) {
  const DType dtype = type(of).dtype, wide = is_floating(dtype) ? f64 : dtype;
  const ValueId read = value(node(of).inputs[0], placement(of).index, {}, slot);
  if (!is_loop(slot)) {
    return node(of).op == Op::cumsum ? sum_of_one(of, read, dtype, slot) : read;
  }
  Instruction result = instruction(Code::running, of, wide);
  result.operands = {cast(of, read, dtype, wide, slot)};
  return cast(of, lowering.append(slot, std::move(result)), wide, dtype, slot);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
