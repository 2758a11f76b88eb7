#pragma once

#include <algorithm>      // std::find, std::max, std::sort
#include <unordered_set>  // std::unordered_set
#include <utility>        // std::move

#include <sinter/graph/print.hpp>
#include <sinter/schedule/lowerer.hpp>
#include <sinter/symbol/simplify.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Scratch for the rows of one thread: a share of the first cache.
inline constexpr std::int64_t most_scratch_bytes = 32 * 1024;
// A transcendental function takes longer than a store and a load in the second cache, where the
// row that is read and the next one lie as well.
inline constexpr std::int64_t most_dear_scratch_bytes = 256 * 1024;
// A row value that takes more is kept for the later loops over the row.
inline constexpr std::int32_t most_recomputed = 8;

SINTER_INLINE Hash identity(NodeId of, const Index& index, const Guards& guards) {
  Hasher hasher;
  hasher.add(std::uint64_t{of});
  for (const Extent at : index) hasher.add(at.bits());
  for (const Guard& guard : guards) {
    hasher.add(guard.value.bits()).add(guard.low.bits()).add(guard.high.bits());
  }
  return hasher.result();
}

// `index` where the guards hold, in fewer divisions.
SINTER_INLINE Index simplified(Index index, const Guards& guards) {
  std::vector<Within> facts;
  for (const Guard& guard : guards) facts.push_back({guard.low, guard.value, guard.high});
  for (int axis = 0; axis < index.size(); ++axis) index[axis] = simplify_under(index[axis], facts);
  return index;
}

}  // namespace detail

SINTER_INLINE Lowerer::Lowerer(const Fusion& fusion, std::int32_t cluster, const Index& grid,
                               const Index& rows, const Shape& row_shape)
    : lowering(grid, rows), fusion_(fusion), cluster_(cluster), rows_(rows), row_shape_(row_shape) {
  find_levels();
}

SINTER_INLINE bool Lowerer::is_loaded(NodeId of) const {
  return node(of).op == Op::input || loads(fusion_.demand, fusion_.clusters, of, cluster_);
}

// Whether `of` is a reduction of this kernel that has a loop.
SINTER_INLINE bool Lowerer::combines(NodeId of) const {
  const Op op = node(of).op;
  return placement(of).cluster == cluster_ && (is_reduction(op) || op == Op::dot_general) &&
         !loops_over(rows_).empty();
}

SINTER_INLINE int Lowerer::level(NodeId of) const {
  const auto found = levels_.find(of);
  return found == levels_.end() ? 0 : found->second;
}

SINTER_INLINE int Lowerer::level_after(NodeId of) const {
  return level(of) + (combines(of) ? 1 : 0);
}

// What this kernel computes, ascending: members, and what is inlined into them.
SINTER_INLINE std::vector<NodeId> Lowerer::computed() const {
  std::vector<NodeId> result = fusion_.demand.computed[static_cast<std::size_t>(cluster_)];
  std::unordered_set<NodeId> known(result.begin(), result.end());
  const auto add = [&](NodeId of) {
    if (!is_loaded(of) && known.insert(of).second) result.push_back(of);
  };
  for (std::size_t i = 0; i < result.size(); ++i) {
    const NodeId of = result[i];
    if (is_movement(node(of).op)) add(beneath(fusion_.graph, of));
    for (Value input : node(of).inputs) add(beneath(fusion_.graph, input));
  }
  std::sort(result.begin(), result.end());
  return result;
}

SINTER_INLINE void Lowerer::find_levels() {
  for (const NodeId of : computed()) {
    int found = is_movement(node(of).op) ? level_after(beneath(fusion_.graph, of)) : 0;
    for (Value input : node(of).inputs) {
      found = std::max(found, level_after(beneath(fusion_.graph, input)));
    }
    levels_[of] = found;
    last_level_ = std::max(last_level_, level_after(of));
  }
}

SINTER_INLINE Slot Lowerer::slot_of(NodeId of, const Index& index, const Guards& guards,
                                    Slot slot) const {
  if (lowering.varies(index) || lowering.varies(guards)) return slot;
  return once(std::max(2 * level(of), lowering.bound_from(index)), slot);
}

// Where what does not vary along the row is computed, from `first` on, for a use in `slot`: as
// early as it can be, so that all loops share it; but what is done to the result of a product
// after its loop, whose registers are full.
SINTER_INLINE Slot Lowerer::once(Slot first, Slot slot) const {
  const Cluster& cluster = fusion_.clusters.clusters[static_cast<std::size_t>(cluster_)];
  return cluster.kind == ClusterKind::product && !is_loop(slot) ? slot : first;
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
  return lowering.append(slot, std::move(result));
}

SINTER_INLINE ValueId Lowerer::cast(NodeId of, ValueId value, DType from, DType to, Slot slot) {
  return from == to ? value : compute(of, Op::cast, to, {value}, slot);
}

SINTER_INLINE ValueId Lowerer::constant(NodeId of, const Constant& number, Slot slot) {
  Instruction result = instruction(Code::constant, of, number.dtype);
  result.op = Op::constant;
  result.constant = number;
  return lowering.append(slot, std::move(result));
}

SINTER_INLINE ValueId Lowerer::position(NodeId of, Extent index, Slot slot) {
  if (index.is_number())
    return constant(of, sinter::detail::constant(index.number(), type(of).dtype), slot);
  Instruction result = instruction(Code::index, of, type(of).dtype);
  result.index = index;
  const Slot at = lowering.varies(index) ? slot : once(lowering.bound_from(index), slot);
  return lowering.append(at, std::move(result));
}

SINTER_INLINE ValueId Lowerer::load(NodeId of, const Index& index, const Guards& guards,
                                    const Constant& fill, Slot slot) {
  const TensorType& from = type(of);
  Instruction result = instruction(Code::load, of, from.dtype);
  result.index = linear(index, from.shape);
  // What has no elements is never asked for one; but a number as index would be read before loops
  // that have no iterations.
  const bool nowhere = result.index.is_number() && same(numel(from.shape), 0);
  if (nowhere) return constant(of, fill, slot);
  result.op = Op::input;
  result.argument =
      lowering.argument(of, from.dtype, numel(from.shape), sinter::detail::schedule::Access::read);
  result.guards = guards;
  result.constant = fill;
  const bool varies = lowering.varies(result.index) || lowering.varies(guards);
  const Slot first = lowering.bound_from(result.index);
  return lowering.append(varies ? slot : once(first, slot), std::move(result));
}

SINTER_INLINE ValueId Lowerer::value(Value asked, const Index& index, const Guards& guards,
                                     Slot slot) {
  const Position found = element(fusion_.graph, asked, index);
  const Node& of = node(found.node);
  if (of.op == Op::pad) return pad(found.node, found.index, guards, slot);
  if (of.op == Op::constant) return constant(found.node, attribute<Constant>(of, "value"), slot);
  if (is_loaded(found.node)) {
    const Constant zero = sinter::detail::constant(0, type(found.node).dtype);
    return load(found.node, found.index, guards, zero, slot);
  }
  return computed(found.node, found.index, guards, slot);
}

SINTER_INLINE ValueId Lowerer::pad(NodeId of, const Index& index, const Guards& guards, Slot slot) {
  const Node& pad = node(of);
  const auto fill = attribute<Constant>(pad, "value");
  const Guards own = guards_of(fusion_.graph, pad, index);
  Guards all = guards;
  all.insert(all.end(), own.begin(), own.end());
  const Index inner = detail::simplified(pushed(fusion_.graph, pad, index), all);
  const Position found = element(fusion_.graph, pad.inputs[0], inner);
  if (guards.empty() && node(found.node).op != Op::pad && is_loaded(found.node)) {
    return load(found.node, found.index, own, fill, slot);
  }
  const Slot at = slot_of(of, index, guards, slot);
  const ValueId inside = value(pad.inputs[0], inner, all, at);
  if (own.empty()) return inside;
  Instruction test = instruction(Code::inside, of, boolean);
  test.guards = own;
  const ValueId condition = lowering.append(at, std::move(test));
  const ValueId outside = constant(of, fill, at);
  return compute(of, Op::select, type(of).dtype, {condition, inside, outside}, at);
}

// Each element is computed once in each slot that asks for it.
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
  if (is_loop(slot)) first_.emplace(anywhere, Computed{lowering.known_from(result), result, -1});
  return result;
}

// Whether the row is the last axis that has more than one element: only then a row is scratch of
// one point of the grid, rather than of as many as fit in a vector.
SINTER_INLINE bool Lowerer::has_contiguous_rows() const {
  const Cluster& cluster = fusion_.clusters.clusters[static_cast<std::size_t>(cluster_)];
  int axis = cluster.space.size() - 1;
  while (axis >= 0 && cluster.ranges[axis].is_number()) --axis;
  return axis >= 0 && (cluster.reduced >> axis & 1) != 0;
}

// Whether a row value that loop `first` computed is worth scratch memory, and there is room.
SINTER_INLINE bool Lowerer::is_kept(NodeId of, const Computed& first, Slot slot) const {
  if (!is_loop(slot) || first.slot >= slot || !is_pointwise(node(of).op)) return false;
  if (first.scratch >= 0) return true;
  if (!has_contiguous_rows()) return false;
  const Cost& cost = fusion_.survey.nodes[of].cost;
  const Extent elements = numel(row_shape_);
  if (!cost.dear && cost.operations <= detail::most_recomputed) return false;
  if (!elements.is_number()) return fusion_.keeps_any_rows;
  const auto size = static_cast<std::int64_t>(info(computed_in(type(of).dtype)).size);
  const bool far = cost.dear && fusion_.host;  // a GPU has its shared memory and nothing behind it
  const std::int64_t most = far ? detail::most_dear_scratch_bytes : detail::most_scratch_bytes;
  return scratch_bytes_ + elements.number() * size <= most;
}

SINTER_INLINE ValueId Lowerer::from_scratch(NodeId of, Computed& first, Slot slot) {
  const DType dtype = computed_in(type(of).dtype);  // as precise as in the first loop
  const Extent elements = numel(row_shape_), at = linear(rows_, row_shape_);
  if (first.scratch < 0) {
    first.scratch = lowering.local(dtype, elements);
    const auto size = static_cast<std::int64_t>(info(dtype).size);
    if (elements.is_number()) scratch_bytes_ += elements.number() * size;
    Instruction keep = instruction(Code::store, of, dtype);
    keep.argument = first.scratch;
    keep.index = at;
    keep.operands = {first.value};
    lowering.append(first.slot, std::move(keep));
  }
  Instruction again = instruction(Code::load, of, dtype);
  again.op = Op::input;
  again.argument = first.scratch;
  again.index = at;
  again.constant = sinter::detail::constant(0, dtype);
  return lowering.append(slot, std::move(again));
}

// In a kernel with a product, members that do not vary along its loop are computed after the loop,
// so that the loop can be tiled: see once().
SINTER_INLINE Slot Lowerer::member_slot(NodeId of) const {
  if (lowering.varies(placement(of).index)) return 2 * level_after(of) + 1;
  const Cluster& cluster = fusion_.clusters.clusters[static_cast<std::size_t>(cluster_)];
  const bool waits = cluster.kind == ClusterKind::product && !combines(of);
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
  const Instruction& one = lowering[stored];  // if it rounds, so does the store
  const bool rounds = one.code == Code::compute && one.op == Op::cast;
  if (rounds && lowering[one.operands[0]].dtype == one.dtype) stored = one.operands[0];
  store(of, linear(index, type(of).shape), stored, slot);
}

SINTER_INLINE void Lowerer::store(NodeId of, Extent index, ValueId stored, Slot slot,
                                  bool accumulate) {
  Instruction result = instruction(Code::store, of, type(of).dtype);
  const Access access = accumulate ? Access::read_write : Access::write;
  result.argument = lowering.argument(of, type(of).dtype, numel(type(of).shape), access);
  result.index = index;
  result.operands = {stored};
  result.accumulate = accumulate;
  lowering.append(slot, std::move(result));
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
