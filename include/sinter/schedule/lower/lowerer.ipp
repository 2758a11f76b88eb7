#pragma once

#include <algorithm>      // std::max
#include <utility>        // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/schedule/analysis/positions.hpp>
#include <sinter/schedule/lower/lowerer.hpp>
#include <sinter/schedule/lower/one_hot_sum.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/simplify.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

SINTER_INLINE Hash identity(NodeId of, const Index& index, const Guards& guards) {
  Hasher hasher;
  hasher.add(std::uint64_t{of});
  for (const Extent at : index) hasher.add(at.bits());
  for (const Guard& guard : guards) {
    hasher.add(guard.value.bits()).add(guard.low.bits()).add(guard.high.bits());
  }
  return hasher.result();
}

}  // namespace detail

SINTER_INLINE Lowerer::Lowerer(const FusionResult& fusion, std::int32_t group, const Index& grid,
                               const Index& rows, const Shape& row_shape)
    : builder(grid, rows), fusion_(fusion), group_(group), rows_(rows), row_shape_(row_shape) {
  find_levels();
}

SINTER_INLINE bool Lowerer::is_loaded(NodeId of) const {
  return node(of).op == Op::input || loads(fusion_.live_out, fusion_.groups, of, group_);
}

// Whether `of` is a reduction or product of this kernel, and the kernel has row loops.
SINTER_INLINE bool Lowerer::combines(NodeId of) const {
  const Op op = node(of).op;
  return placement(of).group == group_ && (is_reduction(op) || op == Op::dot_general) &&
         any_of(rows_, [](Extent row) { return !row.is_number(); });
}

SINTER_INLINE int Lowerer::level(NodeId of) const {
  const auto found = levels_.find(of);
  return found == levels_.end() ? 0 : found->second;
}

// The nodes that this kernel computes, ascending: members and the nodes inlined into them.
SINTER_INLINE Vector<NodeId> Lowerer::computed() const {
  Vector<NodeId> result = fusion_.live_out.computed[group_];
  HashSet<NodeId> known(result.begin(), result.end());
  const auto add = [&](NodeId of) {
    if (!is_loaded(of) && known.insert(of).second) result.push_back(of);
  };
  for (std::size_t i = 0; i < result.size(); ++i) {
    const NodeId of = result[i];
    if (is_movement(node(of).op)) add(beneath(fusion_.graph, of));
    for (Value input : node(of).inputs) add(beneath(fusion_.graph, input));
  }
  stable_sort(result);
  return result;
}

SINTER_INLINE void Lowerer::find_levels() {
  for (const NodeId of : computed()) {
    int found = is_movement(node(of).op) ? level_after(beneath(fusion_.graph, of)) : 0;
    for (Value input : node(of).inputs)
      found = std::max(found, level_after(beneath(fusion_.graph, input)));
    levels_[of] = found;
    last_level_ = std::max(last_level_, level_after(of));
  }
}

SINTER_INLINE Slot Lowerer::slot_of(NodeId of, const Index& index, const Guards& guards,
                                    Slot slot) const {
  if (builder.varies(index) || builder.varies(guards)) return slot;
  const Slot bound = std::max(builder.bound_from(index), builder.bound_from(guards));
  return slot_outside_row(std::max(2 * level(of), bound), slot);
}

// The slot for a value that does not vary along the row and is known from `first` on, for a use in
// `slot`: as early as possible, so that all loops share it. The epilogue of a product is computed
// after the loop, whose registers are all in use.
SINTER_INLINE Slot Lowerer::slot_outside_row(Slot first, Slot slot) const {
  const FusionGroup& group = fusion_.groups.groups[group_];
  return group.kind == GroupKind::product && !is_loop(slot) ? slot : first;
}

SINTER_INLINE Instruction Lowerer::instruction(Code code, NodeId of, DType dtype) const {
  return {.code = code,
          .op = node(of).op,
          .dtype = dtype,
          .where = node(of).where,
          .called = called_function(node(of)),
          .remark = origin(node(of))};
}

SINTER_INLINE ValueId Lowerer::compute(NodeId of, Op op, DType dtype,
                                       std::initializer_list<ValueId> operands, Slot slot) {
  Instruction result = instruction(Code::compute, of, dtype);
  result.op = op;
  result.operands = operands;
  return builder.append(slot, std::move(result));
}

SINTER_INLINE ValueId Lowerer::cast(NodeId of, ValueId value, DType from, DType to, Slot slot) {
  return from == to ? value : compute(of, Op::cast, to, {value}, slot);
}

SINTER_INLINE ValueId Lowerer::constant(NodeId of, const Constant& number, Slot slot) {
  Instruction result = instruction(Code::constant, of, number.dtype);
  result.op = Op::constant;
  result.constant = number;
  return builder.append(slot, std::move(result));
}

SINTER_INLINE ValueId Lowerer::position(NodeId of, Extent index, Slot slot) {
  if (index.is_number())
    return constant(of, sinter::detail::constant(index.number(), type(of).dtype), slot);
  Instruction result = instruction(Code::index, of, type(of).dtype);
  result.index = index;
  return builder.append(slot_of(of, {index}, {}, slot), std::move(result));
}

SINTER_INLINE ValueId Lowerer::load(NodeId of, const Index& index, const Guards& guards,
                                    const Constant& fill, Slot slot) {
  const TensorType& from = type(of);
  Instruction result = instruction(Code::load, of, from.dtype);
  result.index = linear(index, from.shape);
  // An empty tensor has no element to load, but a load that does not depend on a loop without
  // iterations would be hoisted before it.
  const bool is_in_empty_loop = any_of(variables(result.index), [](Extent variable) {
    return variable.is_range() && same(variable.range_extent(), 0);
  });
  if (same(numel(from.shape), 0) && !is_in_empty_loop) return constant(of, fill, slot);
  result.op = Op::input;
  result.argument =
      builder.argument(of, from.dtype, numel(from.shape), sinter::detail::schedule::Access::read);
  result.guards = guards;
  result.constant = fill;
  const Slot at = slot_of(of, {result.index}, guards, slot);
  return builder.append(at, std::move(result));
}

SINTER_INLINE ValueId Lowerer::value(Value asked, const Index& index, const Guards& guards,
                                     Slot slot) {
  const Position found = element(fusion_.graph, asked, index);
  const Node& of = node(found.node);
  if (of.op == Op::pad) return pad(found.node, found.index, guards, slot);
  if (of.op == Op::constant) return constant(found.node, attribute<Constant>(of, "value"), slot);
  if (is_loaded(found.node)) {
    const TensorType& from = type(found.node);
    // Where guards fail, nobody uses the value: they only keep the load inside of the tensor.
    const Guards needed = is_inside(found.index, from.shape) ? Guards() : guards;
    return load(found.node, found.index, needed, sinter::detail::constant(0, from.dtype), slot);
  }
  return computed(found.node, found.index, guards, slot);
}

SINTER_INLINE ValueId Lowerer::pad(NodeId of, const Index& index, const Guards& guards, Slot slot) {
  const Node& pad = node(of);
  const auto fill = attribute<Constant>(pad, "value");
  const Guards own = guards_of(fusion_.graph, pad, index);
  const Guards all = united(guards, own);
  const Index inner = simplified(source_index(fusion_.graph, pad, index), all);
  const Position found = element(fusion_.graph, pad.inputs[0], inner);
  if (guards.empty() && node(found.node).op != Op::pad && is_loaded(found.node)) {
    return load(found.node, found.index, own, fill, slot);
  }
  const Slot at = slot_of(of, index, guards, slot);
  const ValueId inside = value(pad.inputs[0], inner, all, at);
  if (own.empty()) return inside;
  Instruction test = instruction(Code::inside, of, boolean);
  test.guards = own;
  const ValueId condition = builder.append(at, std::move(test));
  const ValueId outside = constant(of, fill, at);
  return compute(of, Op::select, type(of).dtype, {condition, inside, outside}, at);
}

// Computes each element at most once per slot.
SINTER_INLINE ValueId Lowerer::computed(NodeId of, const Index& index, const Guards& guards,
                                        Slot asked) {
  const Slot slot = slot_of(of, index, guards, asked);
  const Hash anywhere = detail::identity(of, index, guards);
  const Hash here = Hasher().add(anywhere).add(static_cast<std::uint64_t>(slot)).result();
  if (const auto known = values_.find(here); known != values_.end()) return known->second;
  const auto first = first_.find(anywhere);
  ValueId result = -1;
  if (first != first_.end() && !is_loop(first->second.slot)) {
    result = first->second.value;
  } else if (first != first_.end() && is_kept(of, first->second, slot)) {
    result = from_scratch(of, first->second, slot);
  } else {
    result = as_stored(of, evaluate(of, index, guards, slot));
  }
  values_.emplace(here, result);
  if (is_loop(slot)) first_.emplace(anywhere, Computed{builder.known_from(result), result, -1});
  return result;
}

// Whether rows lie along the last axis with more than one element. Otherwise the kernel may be
// vectorized over the grid, and scratch memory would hold a row for each vector lane.
SINTER_INLINE bool Lowerer::has_contiguous_rows() const {
  const FusionGroup& group = fusion_.groups.groups[group_];
  int axis = group.space.size() - 1;
  while (axis >= 0 && group.ranges[axis].is_number()) --axis;
  return axis >= 0 && (group.reduced >> axis & 1) != 0;
}

// Whether a row value that loop `first` computed is worth scratch memory, and there is room.
SINTER_INLINE bool Lowerer::is_kept(NodeId of, const Computed& first, Slot slot) const {
  if (!is_loop(slot) || first.slot >= slot || !is_pointwise(node(of).op)) return false;
  if (first.scratch >= 0) return true;
  if (!has_contiguous_rows()) return false;
  const Cost& cost = fusion_.analysis.nodes[of].cost;
  const Extent elements = numel(row_shape_);
  const Target& target = fusion_.target;
  if (!cost.expensive && cost.operations <= target.inlining.most_recomputed_operations)
    return false;
  if (!elements.is_number()) return fusion_.keeps_any_rows;
  const auto size = static_cast<std::int64_t>(info(computed_in(type(of).dtype)).size);
  const std::int64_t most = cost.expensive ? target.scratch.most_expensive : target.scratch.most;
  return scratch_bytes_ + elements.number() * size <= most;
}

SINTER_INLINE ValueId Lowerer::from_scratch(NodeId of, Computed& first, Slot slot) {
  const DType dtype = computed_in(type(of).dtype);  // the precision of the first loop
  const Extent elements = numel(row_shape_), at = linear(rows_, row_shape_);
  if (first.scratch < 0) {
    first.scratch = builder.local(dtype, elements);
    const auto size = static_cast<std::int64_t>(info(dtype).size);
    if (elements.is_number()) scratch_bytes_ += elements.number() * size;
    Instruction keep = instruction(Code::store, of, dtype);
    keep.argument = first.scratch;
    keep.index = at;
    keep.operands = {first.value};
    builder.append(first.slot, std::move(keep));
  }
  Instruction reload = instruction(Code::load, of, dtype);
  reload.op = Op::input;
  reload.argument = first.scratch;
  reload.index = at;
  reload.constant = sinter::detail::constant(0, dtype);
  return builder.append(slot, std::move(reload));
}

// In a kernel with a product, members that do not vary along its loop are computed after the loop,
// so that the loop can be tiled: see slot_outside_row().
SINTER_INLINE Slot Lowerer::member_slot(NodeId of) const {
  if (builder.varies(placement(of).index)) return 2 * level_after(of) + 1;
  const FusionGroup& group = fusion_.groups.groups[group_];
  const bool waits = group.kind == GroupKind::product && !combines(of);
  return 2 * (waits ? last_level_ : level_after(of));
}

SINTER_INLINE ValueId Lowerer::member(NodeId of) {
  const Index& index = placement(of).index;
  const Slot slot = member_slot(of);
  const bool is_computed = !is_movement(node(of).op) && node(of).op != Op::constant;
  return is_computed ? computed(of, index, {}, slot) : value(of, index, {}, slot);
}

SINTER_INLINE void Lowerer::store(NodeId of) {
  const Index& index = placement(of).index;
  const Slot slot = member_slot(of);
  ValueId stored = member(of);
  const Instruction& one = builder[stored];  // a rounding cast is redundant: the store rounds
  const bool rounds = one.code == Code::compute && one.op == Op::cast;
  if (rounds && builder[one.operands[0]].dtype == one.dtype) stored = one.operands[0];
  store(of, linear(index, type(of).shape), stored, slot);
}

SINTER_INLINE void Lowerer::store(NodeId of, Extent index, ValueId stored, Slot slot,
                                  bool accumulate) {
  Instruction result = instruction(Code::store, of, type(of).dtype);
  const Access access = accumulate ? Access::read_write : Access::write;
  result.argument = builder.argument(of, type(of).dtype, numel(type(of).shape), access);
  result.index = index;
  result.operands = {stored};
  result.accumulate = accumulate;
  builder.append(slot, std::move(result));
}

// `value` of `of`, rounded to its dtype if later kernels load it, so that all use the same number.
SINTER_INLINE ValueId Lowerer::as_stored(NodeId of, ValueId value) {
  const DType dtype = type(of).dtype;
  const bool computes = is_elementwise(node(of).op) || is_heavy(node(of).op);
  const bool narrow = computes && is_floating(dtype) && computed_in(dtype) != dtype;
  const bool is_same = fusion_.strict || is_written_cast(node(of));
  if (!narrow || is_same || !fusion_.live_out.loaded[of]) return value;
  Instruction result = instruction(Code::compute, of, dtype);
  result.op = Op::cast, result.operands = {value}, result.constant = sinter::detail::constant(true);
  return builder.append(builder.known_from(value), std::move(result));
}

namespace detail {

// Whether a divisor of 0 is a fault.
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
  const bool here = placement(of).group == group_ && guards.empty();
  if (here && is_reduction(op)) return reduce(of, slot);
  if (here && op == Op::dot_general) return dot_general(of, slot);
  if (here && info(op).kind == OpKind::row) return scan(of, slot);
  throw InternalError(text("schedule: ", info(op).name, " cannot be computed in this kernel"));
}

SINTER_INLINE ValueId Lowerer::elementwise(NodeId of, const Index& index, const Guards& guards,
                                           Slot slot) {
  Instruction result = instruction(Code::compute, of, type(of).dtype);
  for (Value input : node(of).inputs) {
    result.operands.push_back(value(input, index, guards, slot));
  }
  const bool is_exact =
      result.op != Op::cast && is_floating(result.dtype) && fusion_.analysis.nodes[of].compared;
  if (is_exact || is_written_cast(node(of))) result.constant = sinter::detail::constant(true);
  if (result.op == Op::custom_elementwise) result.custom = shared_custom_code(node(of));
  if (detail::divides(result.op, result.dtype)) {
    result.operands[1] = checked_divisor(of, result.operands[1], index, guards, slot);
  }
  const Slot at = is_loop(slot) ? hoist(result, slot) : slot;
  return builder.append(at, std::move(result));
}

// If sizes can be 0, a guard makes sure that there is an element to divide. The first element at
// fault is the one at 0 of the loops along which the divisor does not vary.
SINTER_INLINE ValueId Lowerer::checked_divisor(NodeId of, ValueId divisor, const Index& index,
                                               const Guards& guards, Slot slot) {
  const Instruction& known = builder[divisor];
  if (known.code == Code::constant && known.constant.bits != 0) return divisor;
  const Shape& shape = type(of).shape;
  Instruction result = instruction(Code::divisor, of, type(of).dtype);
  result.operands = {divisor};
  result.guards = guards;
  if (!proven_less(0, numel(shape))) result.guards.push_back({0, 0, numel(shape)});
  const Slot at = is_loop(slot) && !builder.varies(guards) ? hoist(result, slot) : slot;
  result.index = linear(index, shape);
  if (!is_loop(at)) {
    result.index = substitute(result.index, [&](Extent variable) {
      return builder.varies(variable) ? Extent(0) : variable;
    });
  }
  return builder.append(at, std::move(result));
}

// The slot for `instruction`, which is needed in a loop: before the loop if no operand varies.
SINTER_INLINE Slot Lowerer::hoist(Instruction& instruction, Slot slot) {
  Slot before = first_slot;
  for (const ValueId operand : instruction.operands) {
    if (builder[operand].code == Code::constant) continue;
    const Slot known = builder.known_from(operand);
    if (is_loop(known)) return slot;
    before = std::max(before, known);
  }
  for (ValueId& operand : instruction.operands) {
    if (builder[operand].code != Code::constant) continue;
    Instruction copy = builder[operand];
    operand = builder.append(before, std::move(copy));
  }
  return before;
}

// The position along the gathered axis of the element `index` of the gather `of`. A position that
// is known to be in bounds needs no bind. Those in memory are loaded.
SINTER_INLINE Extent Lowerer::gather_position(NodeId of, const Index& index, const Guards& guards,
                                              Slot slot) {
  const Node& node = this->node(of);
  const Value indices = node.inputs[1];
  const Extent bound =
      fusion_.graph.type(node.inputs[0]).shape[static_cast<int>(number(node, "axis"))];
  const Index asked = indices_index(fusion_.graph, node, index);
  const auto loads = [&](NodeId other) { return is_loaded(other); };
  if (is_position(fusion_.graph, indices) && !any_gather(fusion_.graph, indices, loads)) {
    const auto inner = [&](NodeId other, const Index& at) {
      return gather_position(other, at, guards, slot);
    };
    const Extent known = position_of(fusion_.graph, indices, asked, inner);
    if (proven_ge0(known) && proven_less(known, bound)) return known;
  }
  const Slot at = slot_of(of, asked, guards, slot);
  const ValueId read = value(indices, asked, guards, at);
  return bind(of, read, bound, asked, fusion_.graph.type(indices).shape, guards, at);
}

SINTER_INLINE ValueId Lowerer::gather(NodeId of, const Index& index, const Guards& guards,
                                      Slot slot) {
  const Extent at = gather_position(of, index, guards, slot);
  return value(node(of).inputs[0], gathered_index(fusion_.graph, node(of), index, at), guards,
               slot);
}

// Selects the first operand before its end, else the second before its end, and so on.
SINTER_INLINE ValueId Lowerer::concatenate(NodeId of, const Index& index, const Guards& guards,
                                           Slot slot) {
  const Node& node = this->node(of);
  const Extent at = index[static_cast<int>(number(node, "axis"))];
  const Vector<ConcatOperand> operands = concat_operands(fusion_.graph, node, index);
  const DType dtype = type(of).dtype;
  if (operands.empty()) return constant(of, sinter::detail::constant(0, dtype), slot);
  ValueId result = -1;
  for (const ConcatOperand& operand : operands) {
    const Guard& own = operand.guard;
    Guards all = guards;
    if (!proven({own.low, own.value, own.high})) all.push_back(own);
    const ValueId read = value(operand.value, simplified(operand.index, all), all, slot);
    if (result < 0) {
      result = read;
      continue;
    }
    Instruction before = instruction(Code::inside, of, boolean);
    before.guards = {{at, 0, at - own.value}};
    const ValueId condition = builder.append(slot, std::move(before));
    result = compute(of, Op::select, dtype, {condition, result, read}, slot);
  }
  return result;
}

SINTER_INLINE Extent Lowerer::bind(NodeId of, ValueId index, Extent bound, const Index& at,
                                   const Shape& shape, Guards guards, Slot slot) {
  Instruction result = instruction(Code::bind, of, i64);
  if (!builder.is_in_loops_over(shape, at, index)) guards.push_back({0, 0, numel(shape)});
  result.operands = {index};
  result.bound = bound;
  result.index = linear(at, shape);
  result.guards = std::move(guards);
  return builder.bind(slot, std::move(result));
}

SINTER_INLINE ValueId Lowerer::random_bits(NodeId of, const Index& index, const Guards& guards,
                                           Slot slot) {
  Instruction result = instruction(Code::random, of, type(of).dtype);
  for (Value input : node(of).inputs) result.operands.push_back(value(input, {}, guards, slot));
  result.constant = attribute<Constant>(node(of), "number");
  result.index = linear(index, type(of).shape);
  return builder.append(slot, std::move(result));
}

SINTER_INLINE ValueId Lowerer::combine(NodeId of, Op op, ValueId operand, DType dtype, Slot slot) {
  Instruction result = instruction(Code::reduce, of, dtype);
  result.op = op;
  result.operands = {operand};
  return builder.append(slot, std::move(result));
}

// If the whole row is reduced, a loop reduces it and its result is combined; else each of its
// elements is combined.
SINTER_INLINE void Lowerer::combine(NodeId of) {
  const PartialReduction& partial = fusion_.groups.partials.at(of);
  const Shape& shape = fusion_.graph.type(partial.operand).shape;
  const Index& index = placement(of).reads;
  const Extent kept = linear(other_axes(index, partial.axes), other_axes(shape, partial.axes));
  const bool along = builder.varies(index);
  Slot slot = 2 * level(of) + (along ? 1 : 0);
  ValueId read = value(partial.operand, index, {}, slot);
  if (along && !builder.varies(kept)) {
    read = combine(of, node(of).op, read, type(of).dtype, slot);
    ++slot;
  }
  Instruction result = instruction(Code::combine, of, type(of).dtype);
  result.operands = {read};
  result.argument = builder.argument(of, type(of).dtype, numel(type(of).shape), Access::write);
  result.index = kept;
  result.bound = numel(other_axes(shape, partial.axes));
  if (same(partial.chunks, one_chunk_per_point)) {
    result.variable = builder.grid()[0].variable;
    result.bound = floor_div(result.bound, builder.grid()[0].extent);
  }
  builder.append(slot, std::move(result));
}

// `slot` is the one after the loop that this appends to; without a loop, that of the only element.
SINTER_INLINE ValueId Lowerer::reduce(NodeId of, Slot slot) {
  const Value operand = node(of).inputs[0];
  const TensorType& from = fusion_.graph.type(operand);
  const Index& index = placement(of).reads;
  const bool argmax = node(of).op == Op::argmax;
  if (!combines(of)) {
    if (argmax) return constant(of, sinter::detail::constant(0, i64), slot);
    const ValueId element = value(operand, index, {}, slot);
    return node(of).op == Op::sum ? sum_of_single(of, element, from.dtype, slot) : element;
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
    return builder.append(loop, std::move(result));
  }
  if (const ValueId one = one_hot_element(of, read, loop + 1); one >= 0) return one;
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
  result.argument = builder.argument(of, i64, elements, Access::write);
  result.source = builder.argument(keys, type(keys).dtype, elements, Access::read);
  result.index = at;
  result.variable = rows_[0];
  result.bound = rows_[0].range_extent();
  result.constant = sinter::detail::constant(number(node(of), "descending") != 0, boolean);
  builder.append(first_slot, std::move(result));
}

SINTER_INLINE ValueId Lowerer::dot_general(NodeId of, Slot slot) {
  const Node& node = this->node(of);
  const Index& result = placement(of).index;
  const auto& batch = numbers(node, "lhs_batch");
  const TensorType &lhs = fusion_.graph.type(node.inputs[0]),
                   &rhs = fusion_.graph.type(node.inputs[1]);
  int free = static_cast<int>(batch.size());
  const Index lhs_index =
      operand_index(lhs.shape, batch, numbers(node, "lhs_contract"), result, rows_, free);
  const Index rhs_index = operand_index(rhs.shape, numbers(node, "rhs_batch"),
                                        numbers(node, "rhs_contract"), result, rows_, free);
  const Slot loop = combines(of) ? 2 * level(of) + 1 : slot;
  const DType wide = computed_in(lhs.dtype);
  const ValueId x = cast(of, value(node.inputs[0], lhs_index, {}, loop), lhs.dtype, wide, loop);
  const ValueId y = cast(of, value(node.inputs[1], rhs_index, {}, loop), rhs.dtype, wide, loop);
  const ValueId product = compute(of, Op::mul, wide, {x, y}, loop);
  const ValueId sum = combines(of) ? combine(of, Op::sum, product, wide, loop)
                                   : sum_of_single(of, product, wide, slot);
  return cast(of, sum, wide, lhs.dtype, combines(of) ? loop + 1 : slot);
}

// The sum of `id` over the row in `slot`, if at most one term is not 0; -1 if that is not known.
SINTER_INLINE ValueId Lowerer::one_hot_element(NodeId of, ValueId id, Slot slot) {
  if (node(of).op != Op::sum) return -1;
  const ValueId result = detail::one_hot_sum(builder, rows_, id, slot);
  if (result < 0) return -1;
  const DType dtype = builder[result].dtype;
  if (!is_floating(dtype)) return result;
  // A sum that starts at 0 is never -0.
  const ValueId zero = constant(of, sinter::detail::constant(0, dtype), slot);
  return compute(of, Op::add, dtype, {result, zero}, slot);
}

// Sums start at 0, and 0 + -0 is 0: strict mode returns the same sign of zero as the interpreter.
SINTER_INLINE ValueId Lowerer::sum_of_single(NodeId of, ValueId element, DType dtype, Slot slot) {
  if (!fusion_.strict || !is_floating(dtype)) return element;
  return compute(of, Op::add, dtype,
                 {element, constant(of, sinter::detail::constant(0, dtype), slot)}, slot);
}

// Scans accumulate floating-point numbers in f64, as the interpreter does, since rows may be long.
SINTER_INLINE ValueId Lowerer::scan(NodeId of, Slot slot) {
  const DType dtype = type(of).dtype, wide = is_floating(dtype) ? f64 : dtype;
  const ValueId read = value(node(of).inputs[0], placement(of).index, {}, slot);
  if (!is_loop(slot)) {
    return node(of).op == Op::cumsum ? sum_of_single(of, read, dtype, slot) : read;
  }
  Instruction result = instruction(Code::scan, of, wide);
  result.operands = {cast(of, read, dtype, wide, slot)};
  return cast(of, builder.append(slot, std::move(result)), wide, dtype, slot);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
