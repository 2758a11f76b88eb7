#pragma once
// Profitability: why a fusion that legality.hpp allows would make a program slower. All ways to
// fuse a node into a group ask loss(), most of them by try_fuse(). See there for how to add a rule;
// its thresholds are in Target.

#include <algorithm>    // std::min
#include <bit>          // std::countr_zero, std::popcount
#include <cstdint>      // std::int32_t, std::int64_t, std::uint32_t
#include <string_view>  // std::string_view
#include <utility>      // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/fuse/legality.hpp>
#include <sinter/schedule/ir/refusals.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// Scalars, which several kernels compute or wait for.

// A reduction to one number.
inline bool is_scalar_reduction(const GroupState& state, std::int32_t group) {
  return group != no_group && state.at(group).kind == GroupKind::rows &&
         same(numel(grid_shape(state.at(group))), 1);
}

// Whether both start with the same operations, so that they may run as one batched launch.
inline bool start_alike(const GroupState& state, std::int32_t a, std::int32_t b) {
  const auto &first = state.at(a).members, &second = state.at(b).members;
  for (std::size_t i = 0; i < std::min({first.size(), second.size(), std::size_t{2}}); ++i) {
    if (state.graph[first[i]].op != state.graph[second[i]].op) return false;
  }
  return true;
}

// Whether fusing scalar `id` into `group`, a scalar reduction, would make that wait for a similar
// scalar reduction.
inline bool chains_scalar_reductions(const GroupState& state, NodeId id, std::int32_t group) {
  if (!state.shape(id).empty() || !is_scalar_reduction(state, group)) return false;
  const NodeList list = state.operands(id);
  return any_of(list, [&](NodeId operand) {
    const std::int32_t other = state.group_of(operand);
    if (other == no_group || other == group) return false;
    const bool is_chained = is_scalar_reduction(state, other) && start_alike(state, other, group);
    return is_chained || state.combining_scalars.count(other) != 0;
  });
}

/// Whether `id`, a scalar, combines several scalar reductions that could run in parallel.
inline bool chains_scalar_reductions(const GroupState& state, NodeId id) {
  const NodeList list = state.operands(id);
  return any_of(list, [&](NodeId operand) {
    return chains_scalar_reductions(state, id, state.group_of(operand));
  });
}

// Whether a tensor `id` takes only some of its operands from `group`, a group of scalars. Scalars
// that many nodes use do not justify computing all those nodes in one kernel.
inline bool takes_some_operands_from(const GroupState& state, NodeId id, std::int32_t group) {
  const FusionGroup& known = state.at(group);
  const bool scalars = known.kind == GroupKind::pointwise && known.space.empty();
  if (!scalars || state.shape(id).empty()) return false;
  const NodeList list = state.operands(id);
  return any_of(list, [&](NodeId operand) {
    const std::int32_t owner = state.group_of(operand);
    return state.graph[operand].op == Op::input || (owner != no_group && owner != group);
  });
}

// Rows, which threads share, and vectors.

// Whether `index` iterates over rows that one thread would compute alone.
inline bool is_serial(const GroupState& state, const FusionGroup& group, const Index& index) {
  if (group.kind != GroupKind::rows || is_parallel(group, state.target.parallel)) return false;
  return (Coverage(group, index, 0).kept & group.reduced) != 0;
}

// Whether reducing the axes `reduced` for `id` would make one thread compute values that threads
// could share and that other nodes read. Short single rows are exempt.
inline bool serializes(const GroupState& state, NodeId id, const FusionGroup& group,
                       std::uint32_t reduced) {
  if (reduced != looped_axes(group)) return false;
  const std::int64_t elements = bounds(numel(group.space)).max;
  const bool is_short = may_be_serial(elements, state.target.parallel);
  if (!state.shape(id).empty() && is_short) return false;
  return any_of(group.members,
                [&](NodeId member) { return !state.analysis.nodes[member].inlined; });
}

// Whether the rows of `group` are short windows of two or more axes (one short axis is a row). The
// vectors of its kernel then go along the columns. On a GPU a thread block sums them.
inline bool reduces_windows(const GroupState& state, const FusionGroup& group) {
  const std::uint32_t rows = looped_axes(group) & group.reduced;
  if (state.target.threads_share_rows || group.kind != GroupKind::rows) return false;
  for (std::uint32_t axes = rows; axes != 0; axes &= axes - 1) {
    const Extent extent = group.space[std::countr_zero(axes)];
    if (bounds(extent).max >= state.target.loops.short_row) return false;
  }
  return std::popcount(rows) > 1;
}

// Whether the segments that `id` reduces are long enough for loops of their own.
inline bool has_long_segments(const GroupState& state, NodeId id) {
  const Extent elements = numel(state.graph.type(state.graph[id].inputs[0]).shape);
  const SegmentLimits& limits = state.target.segments;
  if (!elements.is_number() || elements.number() <= limits.most_short_elements) return true;
  return elements.number() >= limits.fewest_elements * numel(state.shape(id)).number();
}

inline std::string_view reduction_loss(const GroupState& state, NodeId id, const FusionGroup& group,
                                       const Fusion& how) {
  if (group.kind == GroupKind::rows) {
    const Coverage found(group, how.index, reduced_axes(state.graph[id]));
    const bool whole = !found.overlaps() && found.reduced == group.reduced;
    return whole || has_long_segments(state, id) ? "" : "its segments are too short for loops";
  }
  const bool serial =
      (state.target.finalizers && serializes(state, id, group, how.group->reduced)) ||
      !is_parallel(*how.group, state.target.parallel);
  return serial ? refusal::few_rows : "";
}

/// Why fusing `id` into the group `at`, in the legal way `how`, would make the program slower.
inline std::string_view loss(const GroupState& state, NodeId id, std::int32_t at,
                             const Fusion& how) {
  const FusionGroup& group = state.at(at);
  if (state.partial(id) != nullptr) {
    return reduces_windows(state, group) ? "partial sums of short windows are not vectorized" : "";
  }
  if (is_reduction(state.graph[id].op)) return reduction_loss(state, id, group, how);
  // A scan visits elements in order, so it would not vectorize transcendental functions.
  const bool expensive = state.analysis.nodes[id].cost.expensive;
  if (group.kind == GroupKind::scan && (expensive || !state.target.scans_take_readers))
    return facts_of(group.kind).obstacle;
  if (is_serial(state, group, how.index)) return refusal::few_rows;
  if (takes_some_operands_from(state, id, at))
    return "the kernel of a few scalars does not wait for other operands of their reader";
  return chains_scalar_reductions(state, id, at)
             ? "it combines scalar reductions of independent kernels"
             : "";
}

/// Fuses `id` into the group `at`, where that is legal and no loss; if it is not, says why.
inline std::string_view try_fuse(GroupState& state, NodeId id, std::int32_t at,
                                 bool needs_whole = false) {
  ++state.result.tried;
  const Node& node = state.graph[id];
  std::string_view obstacle = group_obstacle(state, id, at);
  if (!obstacle.empty()) return obstacle;
  obstacle = node.op == Op::gather ? refusal::gathered : refusal::other_space;
  const bool reduces = is_reduction(node.op);
  needs_whole = needs_whole || (reduces && state.partial(id) == nullptr);
  const Value self = reduces ? state.reduced_operand(id) : Value(id);
  // An elementwise operation reads its operands at its own index.
  const bool by_operands = is_elementwise(node.op);
  for (const Value value : by_operands ? Span<const Value>(node.inputs) : Span(&self, 1)) {
    for (const Index& index : state.candidate_indices(value, at, needs_whole)) {
      Fusion how{index};
      obstacle = index_obstacle(state, id, at, how);
      if (obstacle.empty()) obstacle = loss(state, id, at, how);
      if (!obstacle.empty()) continue;
      if (how.group) state.at(at) = std::move(*how.group);
      if (!how.values.empty()) place_members(state.result, state.at(at).members, at, how.values);
      state.place(id, at, how.index);
      return "";
    }
  }
  return obstacle;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
