#pragma once

// The rule of each operation that computes.

#include <algorithm>  // std::find, std::max
#include <utility>    // std::move

#include <sinter/schedule/lowerer.hpp>
#include <sinter/schedule/positions.hpp>
#include <sinter/symbol/proof.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

SINTER_INLINE bool listed(const std::vector<std::int64_t>& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

// The index of one operand of a product: axes listed in `batch` and `contract` in their order, the
// others from `free` on in the index of the result.
SINTER_INLINE Index operand_index(const Shape& shape, const std::vector<std::int64_t>& batch,
                                  const std::vector<std::int64_t>& contract, const Index& result,
                                  const Index& rows, int& free) {
  Index index = shape;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    index[static_cast<int>(batch[i])] = result[static_cast<int>(i)];
  }
  for (std::size_t i = 0; i < contract.size(); ++i) {
    index[static_cast<int>(contract[i])] = rows[static_cast<int>(i)];
  }
  for (int axis = 0; axis < shape.size(); ++axis) {
    if (!listed(batch, axis) && !listed(contract, axis)) index[axis] = result[free++];
  }
  return index;
}

// Whether it has no result where its right operand is 0.
SINTER_INLINE bool divides(Op op, DType dtype) {
  return (op == Op::floor_divide || op == Op::remainder) && is_integer(dtype);
}

}  // namespace detail

SINTER_INLINE ValueId Lowerer::evaluate(NodeId of, const Index& index, const Guards& guards,
                                        Slot slot) {
  const Op op = node(of).op;
  if (op == Op::iota) {
    return position(of, index[static_cast<int>(number(node(of), "axis"))], slot);
  }
  if (op == Op::gather) return gather(of, index, guards, slot);
  if (op == Op::concatenate) return concatenate(of, index, guards, slot);
  if (op == Op::random_bits) return random_bits(of, index, guards, slot);
  if (is_elementwise(op)) return elementwise(of, index, guards, slot);
  const bool here = placement(of).cluster == cluster_ && guards.empty();
  if (here && is_reduction(op)) return reduce(of, slot);
  if (here && op == Op::dot_general) return dot_general(of, slot);
  if (here && info(op).kind == OpKind::row) return cumulate(of, slot);
  throw InternalError(text("schedule: ", info(op).name, " is not to be had in its kernel"));
}

SINTER_INLINE ValueId Lowerer::elementwise(NodeId of, const Index& index, const Guards& guards,
                                           Slot slot) {
  Instruction result = instruction(Code::compute, of, type(of).dtype);
  for (Value input : node(of).inputs) {
    result.operands.push_back(value(input, index, guards, slot));
  }
  if (is_written_cast(node(of))) result.constant = sinter::detail::constant(true);
  if (detail::divides(result.op, result.dtype)) {
    result.operands[1] = checked(of, result.operands[1], index, guards, slot);
  }
  const Slot at = is_loop(slot) ? hoist(result, slot) : slot;
  return lowering.append(at, std::move(result));
}

// No element, no division: where sizes can be 0, that is a guard of its own. The first element that
// is at fault is the one at 0 of the loops that the divisor does not vary in.
SINTER_INLINE ValueId Lowerer::checked(NodeId of, ValueId divisor, const Index& index,
                                       const Guards& guards, Slot slot) {
  const Instruction& known = lowering[divisor];
  if (known.code == Code::constant && known.constant.bits != 0) return divisor;
  const Shape& shape = type(of).shape;
  Instruction result = instruction(Code::divisor, of, type(of).dtype);
  result.operands = {divisor};
  result.guards = guards;
  if (!proven_less(0, numel(shape))) result.guards.push_back({0, 0, numel(shape)});
  const Slot at = is_loop(slot) && !lowering.varies(guards) ? hoist(result, slot) : slot;
  result.index = linear(index, shape);
  if (!is_loop(at)) {
    result.index = substitute(result.index, [&](Extent variable) {
      return lowering.varies(variable) ? Extent(0) : variable;
    });
  }
  return lowering.append(at, std::move(result));
}

// Where `instruction`, asked for in a loop, is computed: before the loop if no operand varies.
SINTER_INLINE Slot Lowerer::hoist(Instruction& instruction, Slot slot) {
  Slot before = first_slot;
  for (const ValueId operand : instruction.operands) {
    if (lowering[operand].code == Code::constant) continue;
    const Slot known = lowering.known_from(operand);
    if (is_loop(known)) return slot;
    before = std::max(before, known);
  }
  for (ValueId& operand : instruction.operands) {
    if (lowering[operand].code != Code::constant) continue;
    Instruction again = lowering[operand];
    operand = lowering.append(before, std::move(again));
  }
  return before;
}

// Where what `of`, a gather, gives for `index` is along its axis. What is known to be inside of it
// needs no check.
SINTER_INLINE Extent Lowerer::taken(NodeId of, const Index& index, const Guards& guards,
                                    Slot slot) {
  const Node& node = this->node(of);
  const Value indices = node.inputs[1];
  const Extent bound =
      fusion_.graph.type(node.inputs[0]).shape[static_cast<int>(number(node, "axis"))];
  const Index asked = indices_index(fusion_.graph, node, index);
  if (is_position(fusion_.graph, indices)) {
    const auto inner = [&](NodeId other, const Index& at) {
      return taken(other, at, guards, slot);
    };
    const Extent known = position_of(fusion_.graph, indices, asked, inner);
    if (proven_ge0(known) && proven_less(known, bound)) return known;
  }
  const bool varies = lowering.varies(asked) || lowering.varies(guards);
  const Slot first = std::max(2 * level(of), lowering.bound_from(asked));
  const Slot at = varies ? slot : once(first, slot);
  const ValueId read = value(indices, asked, guards, at);
  const Extent position = linear(asked, fusion_.graph.type(indices).shape);
  return bind(of, read, bound, position, guards, at);
}

SINTER_INLINE ValueId Lowerer::gather(NodeId of, const Index& index, const Guards& guards,
                                      Slot slot) {
  const Extent at = taken(of, index, guards, slot);
  return value(node(of).inputs[0], taken_from(fusion_.graph, node(of), index, at), guards, slot);
}

// The first part, or, from where it starts on, the second, and so on.
SINTER_INLINE ValueId Lowerer::concatenate(NodeId of, const Index& index, const Guards& guards,
                                           Slot slot) {
  const Node& node = this->node(of);
  const Extent at = index[static_cast<int>(number(node, "axis"))];
  const std::vector<Part> parts = parts_of(fusion_.graph, node, index);
  const DType dtype = type(of).dtype;
  if (parts.empty()) return constant(of, sinter::detail::constant(0, dtype), slot);
  ValueId result = -1;
  for (const Part& part : parts) {
    const Guard& own = part.guard;
    Guards all = guards;
    if (!proven({own.low, own.value, own.high})) all.push_back(own);
    const ValueId read = value(part.value, detail::simplified(part.index, all), all, slot);
    if (result < 0) {
      result = read;
      continue;
    }
    Instruction before = instruction(Code::inside, of, boolean);
    before.guards = {{at, 0, at - own.value}};
    const ValueId condition = lowering.append(slot, std::move(before));
    result = compute(of, Op::select, dtype, {condition, result, read}, slot);
  }
  return result;
}

SINTER_INLINE Extent Lowerer::bind(NodeId of, ValueId index, Extent bound, Extent position,
                                   const Guards& guards, Slot slot) {
  Instruction result = instruction(Code::bind, of, i64);
  result.operands = {index};
  result.bound = bound;
  result.index = position;
  result.guards = guards;
  return lowering.bind(slot, std::move(result));
}

SINTER_INLINE ValueId Lowerer::random_bits(NodeId of, const Index& index, const Guards& guards,
                                           Slot slot) {
  Instruction result = instruction(Code::random, of, type(of).dtype);
  for (Value input : node(of).inputs) result.operands.push_back(value(input, {}, guards, slot));
  result.constant = attribute<Constant>(node(of), "number");
  result.index = linear(index, type(of).shape);
  return lowering.append(slot, std::move(result));
}

SINTER_INLINE ValueId Lowerer::combine(NodeId of, Op op, ValueId operand, DType dtype, Slot slot) {
  Instruction result = instruction(Code::reduce, of, dtype);
  result.op = op;
  result.operands = {operand};
  return lowering.append(slot, std::move(result));
}

// A row that is reduced whole is reduced first; else each of its elements is combined.
SINTER_INLINE void Lowerer::combine(NodeId of) {
  const Partial& partial = fusion_.clusters.partials.at(of);
  const Shape& shape = fusion_.graph.type(partial.operand).shape;
  const Index& index = placement(of).reads;
  const Extent kept = linear(other_axes(index, partial.axes), other_axes(shape, partial.axes));
  const bool along = lowering.varies(index);
  Slot slot = 2 * level(of) + (along ? 1 : 0);
  ValueId read = value(partial.operand, index, {}, slot);
  if (along && !lowering.varies(kept)) {
    read = combine(of, node(of).op, read, type(of).dtype, slot);
    ++slot;
  }
  Instruction result = instruction(Code::combine, of, type(of).dtype);
  result.operands = {read};
  result.argument = lowering.argument(of, type(of).dtype, numel(type(of).shape), Access::write);
  result.index = kept;
  result.bound = numel(other_axes(shape, partial.axes));
  if (same(partial.chunks, own_chunks)) {
    result.variable = lowering.grid()[0].variable;
    result.bound = floor_div(result.bound, lowering.grid()[0].extent);
  }
  lowering.append(slot, std::move(result));
}

// `slot` comes after the loop that this appends to, or is where a row of one element is.
SINTER_INLINE ValueId Lowerer::reduce(NodeId of, Slot slot) {
  const Value operand = node(of).inputs[0];
  const TensorType& from = fusion_.graph.type(operand);
  const Index& index = placement(of).reads;
  const bool argmax = node(of).op == Op::argmax;
  if (!combines(of)) {
    if (argmax) return constant(of, sinter::detail::constant(0, i64), slot);
    const ValueId element = value(operand, index, {}, slot);
    return node(of).op == Op::sum ? sum_of_one(of, element, from.dtype, slot) : element;
  }
  const Slot loop = 2 * level(of) + 1;
  const ValueId read = value(operand, index, {}, loop);
  if (argmax) {
    Index reduced;
    Shape extents;
    for (const std::int64_t axis : numbers(node(of), "axes")) {
      reduced.push_back(index[static_cast<int>(axis)]);
      extents.push_back(from.shape[static_cast<int>(axis)]);
    }
    Instruction result = instruction(Code::reduce, of, i64);
    result.operands = {read};
    result.index = linear(reduced, extents);
    return lowering.append(loop, std::move(result));
  }
  if (const ValueId one = picked(of, read, loop + 1); one >= 0) return one;
  const DType wide = computed_in(from.dtype);
  const ValueId result =
      combine(of, node(of).op, cast(of, read, from.dtype, wide, loop), wide, loop);
  return cast(of, result, wide, from.dtype, loop + 1);
}

SINTER_INLINE void Lowerer::sort(NodeId of) {
  const Extent at = linear(placement(of).index, type(of).shape);
  if (rows_.empty()) {
    return store(of, at, constant(of, sinter::detail::constant(0, i64), first_slot), first_slot);
  }
  const NodeId keys = read_node(fusion_.graph, node(of), node(of).inputs[0]);
  const Extent elements = numel(type(of).shape);
  Instruction result = instruction(Code::sort, of, i64);
  result.argument = lowering.argument(of, i64, elements, Access::write);
  result.source = lowering.argument(keys, type(keys).dtype, elements, Access::read);
  result.index = at;
  result.variable = rows_[0];
  result.bound = rows_[0].range_extent();
  result.constant = sinter::detail::constant(number(node(of), "descending") != 0, boolean);
  lowering.append(first_slot, std::move(result));
}

SINTER_INLINE ValueId Lowerer::dot_general(NodeId of, Slot slot) {
  const Node& node = this->node(of);
  const Index& result = placement(of).index;
  const auto& batch = numbers(node, "lhs_batch");
  const TensorType &lhs = fusion_.graph.type(node.inputs[0]),
                   &rhs = fusion_.graph.type(node.inputs[1]);
  int free = static_cast<int>(batch.size());
  const Index lhs_index =
      detail::operand_index(lhs.shape, batch, numbers(node, "lhs_contract"), result, rows_, free);
  const Index rhs_index = detail::operand_index(rhs.shape, numbers(node, "rhs_batch"),
                                                numbers(node, "rhs_contract"), result, rows_, free);
  const Slot loop = combines(of) ? 2 * level(of) + 1 : slot;
  const DType wide = computed_in(lhs.dtype);
  const ValueId x = cast(of, value(node.inputs[0], lhs_index, {}, loop), lhs.dtype, wide, loop);
  const ValueId y = cast(of, value(node.inputs[1], rhs_index, {}, loop), rhs.dtype, wide, loop);
  const ValueId product = compute(of, Op::mul, wide, {x, y}, loop);
  const ValueId sum = combines(of) ? combine(of, Op::sum, product, wide, loop)
                                   : sum_of_one(of, product, wide, slot);
  return cast(of, sum, wide, lhs.dtype, combines(of) ? loop + 1 : slot);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
