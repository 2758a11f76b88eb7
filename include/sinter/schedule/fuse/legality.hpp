#pragma once
// Legality: why a fusion group cannot compute a node at an index. All ways to fuse ask here first,
// and loss() of profitability.hpp next.
//
// A fusion rule has two parts. Which groups it tries, and in which order, is a policy: builder.hpp
// for producers and siblings, partial_reductions.hpp, segmented_reduction.hpp or merge.hpp. What
// would make the fused kernel wrong is checked here; what would make it slow is checked in loss().
// Both return a sentence for the log, or an empty string if the fusion is allowed.

#include <algorithm>    // std::min
#include <bit>          // std::countr_zero, std::has_single_bit
#include <cstdint>      // std::int32_t, std::uint32_t
#include <limits>       // std::numeric_limits
#include <string_view>  // std::string_view

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/container/worklist.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/positions.hpp>
#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/ir/refusals.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// What a group has room for.

/// Why `group` has no room for the nodes `added`. If some of them are partial reductions, `chunks`
/// is the number of their chunks, otherwise 0.
inline std::string_view room_obstacle(const GroupState& state, std::int32_t group,
                                      Span<const NodeId> added, Extent chunks = 0) {
  const FusionGroup& known = state.at(group);
  if (known.members.size() + added.size() > max_group_members) return refusal::many_operations;
  if (same(chunks, 0)) return "";
  if (!same(known.chunks, 0) && !same(known.chunks, chunks))
    return "their sums are divided into different chunks";
  const std::int64_t most = state.target.most_partial_bytes;
  const auto bytes = [&](Span<const NodeId> nodes) {
    return partial_bytes(state.graph, state.result.partials, nodes);
  };
  const bool fits =
      most == unbounded || proven_less_equal(bytes(known.members) + bytes(added), most);
  return fits ? "" : "their partial results do not fit in shared memory";
}

/// Why `group` cannot compute `id`, whatever the index.
inline std::string_view group_obstacle(const GroupState& state, NodeId id, std::int32_t group) {
  const FusionGroup& known = state.at(group);
  const Node& node = state.graph[id];
  const bool reduces = is_reduction(node.op);
  const bool loops = known.kind == GroupKind::rows || known.kind == GroupKind::pointwise;
  if (reduces ? !loops : facts_of(known.kind).is_alone) return facts_of(known.kind).obstacle;
  // Empty spaces have equal sizes whatever their axes are.
  const auto is_empty = [](const Shape& shape) { return same(numel(shape), 0); };
  if (reduces && (is_empty(known.space) || is_empty(state.graph.type(node.inputs[0]).shape)))
    return refusal::other_space;
  const PartialReduction* partial = state.partial(id);
  return room_obstacle(state, group, {&id, 1}, partial != nullptr ? partial->chunks : Extent(0));
}

// Which elements a group can read.

/// Limit on the values that are rematerialized where groups merge.
inline constexpr int max_inlined_steps = 256;

/// Decides whether a group can read elements. It can if they are complete before it runs, or if it
/// computes the same elements. What is inlined, or computed by the group at other elements, it may
/// rematerialize: then the same is asked about the operands.
struct ElementReader {
  const GroupState& state;
  std::int32_t group = no_group;
  int budget = 0;  ///< How many values may be rematerialized.
  /// A group that is to move into `group`, and the values that its ranges have there.
  std::int32_t moved = no_group;
  Substitutions ranges{};
  Vector<Position> open{};  ///< Those whose operands are not looked at yet.
  std::uint32_t next_range = first_gather_range;

  /// Why the group cannot compute element `index` of `id`.
  std::string_view obstacle(NodeId id, const Index& index) {
    return follow(operands_obstacle(id, index));
  }

  /// Why it cannot compute `members` where they are placed.
  std::string_view obstacle(Span<const NodeId> members) {
    for (const NodeId member : members) {
      const Placement& place = state.result.placements[member];
      const std::string_view found = is_reduction(state.graph[member].op)
                                         ? read_obstacle(state.reduced_operand(member), place.reads)
                                         : operands_obstacle(member, place.index);
      if (!found.empty()) return found;
    }
    return follow("");
  }

  /// Why it cannot read `value` at `index`, but for the elements that are still open.
  std::string_view read_obstacle(Value value, const Index& index) {
    const NodeId id = beneath(state.graph, value);
    if (precedes(id)) return "";
    const auto& [owner, place, reads] = state.result.placements[id];
    const bool own = owner == group || owner == moved, inlined = state.analysis.nodes[id].inlined;
    if (!own && (!inlined || budget <= 0)) return refusal::kernel_between;
    if (own && state.partial(id) != nullptr)
      return "partial results are combined after all threads finish";
    const Position found = element(state.graph, value, index);
    if (found.node == id) {
      if (own && same(found.index, owner == group ? place : substituted(place, ranges))) return "";
      const Op op = state.graph[id].op;
      const bool follows = is_elementwise(op) || (op == Op::gather && moved != no_group);
      if (follows && (owner == group || inlined) && --budget >= 0) {
        open.push_back(found);
        return "";
      }
    }
    return is_independent(id) ? "" : refusal::other_element;
  }

 private:
  // Whether `id` is known to be complete before the group runs.
  bool precedes(NodeId id) const {
    if (moved == no_group) return state.after(id) < group;
    const std::int32_t owner = state.group_of(id);
    const bool inlined = state.analysis.nodes[id].inlined;
    return owner == no_group || (!inlined && owner < group && owner != moved);
  }

  // Whether nothing that the groups compute is needed for `id`. Of groups that merge, `group` was
  // legal before, so that only what `moved` stores counts.
  bool is_independent(NodeId id) const {
    if (moved == no_group) return precedes(id);
    Worklist<NodeId> below{id};
    for (std::size_t i = 0; i < below.size(); ++i) {
      const NodeId at = below[i];
      if (state.group_of(at) == moved && !state.analysis.nodes[at].inlined) return false;
      if (precedes(at)) continue;
      for (const NodeId operand : state.operands(at)) below.add(operand);
    }
    return true;
  }

  std::string_view operands_obstacle(NodeId id, const Index& index) {
    const Node& node = state.graph[id];
    if (is_movement(node.op)) return read_obstacle(id, index);
    if (node.op == Op::gather) return gather_obstacle(node, index);
    const bool in_place = is_elementwise(node.op) || node.op == Op::random_bits;
    for (const Value input : node.inputs) {
      std::string_view found = "a concatenation reads it at an offset";
      if (in_place) {
        const bool scalar = state.graph.type(input).shape.empty();
        found = read_obstacle(input, scalar ? Index() : index);
      } else if (is_independent(read_node(state.graph, node, input))) {
        continue;
      }
      if (!found.empty()) return found;
    }
    return "";
  }

  std::string_view gather_obstacle(const Node& gather, const Index& index) {
    const Graph& graph = state.graph;
    const Value from = gather.inputs[0], indices = gather.inputs[1];
    const Index asked = indices_index(graph, gather, index);
    const std::string_view found = read_obstacle(indices, asked);
    if (!found.empty()) return found;
    if (is_independent(beneath(graph, from))) return "";
    const bool known = is_position(graph, indices);
    if (!known && moved == no_group) return refusal::gathered;
    const auto range = [&](const Node& of) {
      return Extent::range(next_range++,
                           graph.type(of.inputs[0]).shape[static_cast<int>(number(of, "axis"))]);
    };
    const auto taken = [&](NodeId id, const Index&) { return range(graph[id]); };
    const Extent at = known ? position_of(graph, indices, asked, taken) : range(gather);
    if (moved == no_group) budget = budget_of_gather(index);
    return read_obstacle(from, gathered_index(graph, gather, index, at));
  }

  // With one gathered element per step of the row, only elements that the step computes anyway are
  // read.
  int budget_of_gather(const Index& index) const {
    const FusionGroup& known = state.at(group);
    const bool once =
        known.kind == GroupKind::rows && (Coverage(known, index, 0).kept & known.reduced) == 0;
    return once ? state.target.inlining.most_for_gather : 0;
  }

  // `found`, or an obstacle among the open elements.
  std::string_view follow(std::string_view found) {
    while (found.empty() && !open.empty()) {
      const Position at = open.back();
      open.pop_back();
      found = operands_obstacle(at.node, at.index);
    }
    return found;
  }
};

// Which axes a group can reduce.

// Argmax returns the first of equal elements, so it has to visit them in memory order.
inline bool preserves_order(const Graph& graph, const Node& node, const FusionGroup& group,
                            const Index& index, std::uint32_t reduced) {
  if (node.op != Op::argmax) return true;
  const Shape& shape = graph.type(node.inputs[0]).shape;
  const std::uint32_t axes = reduced_axes(node);
  return same(linear(listed_axes(index, axes), listed_axes(shape, axes)),
              linear(listed_axes(group.ranges, reduced), listed_axes(group.space, reduced)));
}

/// Why `group` cannot reduce the operand of `node`, which it reads at `index`, in the loop over its
/// rows; those of a pointwise group would be the reduced axes.
inline std::string_view rows_obstacle(const Graph& graph, const Node& node,
                                      const FusionGroup& group, const Index& index) {
  const Coverage found(group, index, reduced_axes(node));
  if (found.overlaps()) return refusal::different_axes;
  if (!preserves_order(graph, node, group, index, found.reduced))
    return "an argmax visits its elements in the order of memory";
  const bool divides = !same(group.chunks, 0) && (found.reduced & first_looped_axis(group)) != 0;
  const bool differs = group.kind == GroupKind::rows ? found.reduced != group.reduced : divides;
  return differs ? refusal::different_axes : "";
}

/// Whether `group` can compute a partial reduction over the axes `found`; divides its grid into
/// chunks along the first axis then. Values that do not depend on the row loop are computed once
/// per grid point.
inline bool take_partial(FusionGroup& group, const Coverage& found, Extent chunks,
                         bool threads_share_rows) {
  const std::uint32_t all = looped_axes(group), covered = found.reduced | found.kept;
  if (found.overlaps() || (all & ~group.reduced) == 0) return false;
  std::uint32_t rows = group.reduced & all;
  const bool becomes_rows = group.kind == GroupKind::pointwise && found.kept != 0;
  if (becomes_rows) rows = trailing_axes(all, found.kept);
  const std::uint32_t grid = all & ~rows, first = first_looped_axis(group);
  if ((grid & ~covered) != 0 || (grid & first & found.reduced) == 0) return false;
  const std::uint32_t along = covered & rows;
  if (along != 0 && along != rows) return false;
  if (threads_share_rows && found.kept != rows) return false;
  if (becomes_rows) {
    group.kind = GroupKind::rows;
    group.reduced = rows;
  }
  group.chunks = chunks;
  return true;
}

/// Why `group` cannot compute a partial reduction of what it reads at `index`. Changes both as it
/// does: if one axis of the group carries both reduced and kept axes, it is split, and `values` has
/// the new values of its ranges.
inline std::string_view partial_obstacle(FusionGroup& group, Index& index, Substitutions& values,
                                         const PartialReduction& partial, bool threads_share_rows) {
  const auto fits = [&](FusionGroup& fused, const Index& reads) {
    return take_partial(fused, Coverage(fused, reads, partial.axes), partial.chunks,
                        threads_share_rows);
  };
  const bool taken =
      fits(group, index) || split_shared_axis(group, index, partial.axes, values, fits);
  return taken ? "" : refusal::different_axes;
}

/// Whether `node`, reduced over the rows of `group` at `index`, has several results per grid point,
/// contiguous in the order of the grid.
inline bool is_segmented(const Graph& graph, const Node& node, const FusionGroup& group,
                         const Index& index) {
  const std::uint32_t axes = reduced_axes(node);
  const Coverage found(group, index, axes);
  const std::uint32_t grid = looped_axes(group) & ~group.reduced;
  if (found.overlaps() || !std::has_single_bit(grid)) return false;
  if ((found.reduced & ~group.reduced) != 0 || (grid & ~found.kept) != 0) return false;
  const Shape& shape = graph.type(node.inputs[0]).shape;
  const Extent kept = linear(other_axes(index, axes), other_axes(shape, axes));
  const Extent point = group.ranges[std::countr_zero(grid)];
  const Extent results = numel(node.results[0].shape);
  if (!proven_divisible(results, point.range_extent())) return false;
  const Extent each = floor_div(results, point.range_extent()), rest = without(kept, point);
  const auto step = coefficient_of(kept, point);
  if (!step || !same(*step, each) || !proven_less(rest, each) || !proven_ge0(rest)) return false;
  return trailing_axes(looped_axes(group), found.reduced) == found.reduced;
}

/// How a group computes a node.
struct Fusion {
  Index index{};                  ///< Of the node, or of the operand of a reduction.
  Optional<FusionGroup> group{};  ///< What the group becomes, if that is another one.
  Substitutions values{};         ///< Of its ranges there, if an axis is split.
};

/// Why the group `at` cannot compute `id` at the index in `how`. Completes `how`: a pointwise group
/// that takes a reduction becomes rows, and one that takes a partial reduction has chunks.
inline std::string_view index_obstacle(const GroupState& state, NodeId id, std::int32_t at,
                                       Fusion& how) {
  const Node& node = state.graph[id];
  const FusionGroup& group = state.at(at);
  ElementReader reader{state, at};
  if (!is_reduction(node.op)) return reader.obstacle(id, how.index);
  const PartialReduction* partial = state.partial(id);
  std::string_view found = reader.read_obstacle(state.reduced_operand(id), how.index);
  if (found.empty() && partial == nullptr)
    found = rows_obstacle(state.graph, node, group, how.index);
  if (!found.empty() || (partial == nullptr && group.kind == GroupKind::rows)) return found;
  how.group = group;
  if (partial != nullptr) {
    return partial_obstacle(*how.group, how.index, how.values, *partial,
                            state.target.threads_share_rows);
  }
  how.group->kind = GroupKind::rows;
  how.group->reduced = Coverage(group, how.index, reduced_axes(node)).reduced;
  return "";
}

/// Why `from` does not iterate over the grid or space of `to`. Finds the values that its ranges
/// have there.
inline std::string_view space_obstacle(const FusionGroup& from, const FusionGroup& to,
                                       Substitutions& ranges) {
  if (facts_of(from.kind).is_alone || from.kind == GroupKind::product) return refusal::other_space;
  if (facts_of(to.kind).is_alone || to.kind == GroupKind::scan) return refusal::other_space;
  // A product is tiled, not divided into chunks.
  if (to.kind == GroupKind::product && !same(from.chunks, 0)) return refusal::other_space;
  const bool same_space =
      from.kind == to.kind && same(from.space, to.space) && from.reduced == to.reduced;
  const bool grid = from.kind == GroupKind::pointwise && same(from.space, grid_shape(to));
  if (!same_space && !grid) return refusal::other_space;
  const Index target = same_space ? to.ranges : grid_ranges(to);
  for (int i = 0; i < target.size(); ++i) {
    if (!from.ranges[i].is_number()) ranges.push_back({from.ranges[i], target[i]});
  }
  return "";
}

// The order of groups.

/// The nodes that read a value, and which group of them is the first, once all groups are known.
struct Readers {
  static constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max();

  const GroupState& state;
  Vector<Vector<NodeId>> of{};  ///< Of each node.

  explicit Readers(const GroupState& groups) : state(groups), of(groups.graph.nodes.size()) {
    for (const NodeId id : state.analysis.order) {
      for (const NodeId operand : state.operands(id)) of[operand].push_back(id);
    }
  }

  /// The first group that reads `id`, directly or through inlined nodes; readers in `rest` do not
  /// count.
  std::int32_t first(NodeId id, Span<const NodeId> rest = {}) const {
    std::int32_t result = last;
    for (const NodeId reader : of[id]) {
      if (contains(rest, reader)) continue;
      const bool inlined = state.analysis.nodes[reader].inlined;
      result = std::min(result, inlined ? first(reader, rest) : state.group_of(reader));
    }
    return result;
  }
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
