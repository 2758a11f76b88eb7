#pragma once
// Fusion groups: the nodes that share a kernel. Groups run in order of their numbers. A node may
// join any group that is not earlier than the groups of its operands, so no cycle can arise.

#include <algorithm>    // std::max, std::min, std::reverse
#include <cstddef>      // std::size_t
#include <cstdint>      // std::int32_t, std::int64_t
#include <string_view>  // std::string_view
#include <utility>      // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/small_vector.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/container/worklist.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/domain.hpp>
#include <sinter/schedule/ir/refusals.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/schedule/rewrite/rfactor.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct FusionGroups {
  Vector<FusionGroup> groups{};
  Vector<Placement> placements{};  ///< For each node.
  PartialReductions partials{};
  /// How often a node was compared with a group; compile time is proportional.
  std::size_t tried = 0;
};

/// The group of a node that has none.
inline constexpr std::int32_t no_group = -1;

/// Gathered indices are ranges from this number on; those of groups have smaller ones.
inline constexpr std::uint32_t first_gather_range = 4 * max_rank;

/// A kernel with more values compiles slowly and spills registers.
inline constexpr std::size_t max_group_members = 64;

/// Places `members` in `group`, at their indices after the substitution `values`.
inline void place_members(FusionGroups& groups, const Vector<NodeId>& members, std::int32_t group,
                          const Substitutions& values) {
  for (const NodeId member : members) {
    Placement& place = groups.placements[member];
    place = {group, substituted(place.index, values), substituted(place.reads, values)};
  }
}

/// Whether `group` stores nothing but partial results, so that no rows are computed there.
inline bool has_only_partials(const FusionGroups& groups, const FusionAnalysis& analysis,
                              std::int32_t group) {
  const auto& members = groups.groups[group].members;
  return all_of(members, [&](NodeId member) {
    return groups.partials.count(member) != 0 || analysis.nodes[member].inlined;
  });
}

/// Bytes of the partial results among `nodes`, per chunk.
inline Extent partial_bytes(const Graph& graph, const PartialReductions& partials,
                            Span<const NodeId> nodes) {
  Extent result = 0;
  for (const NodeId id : nodes) {
    const auto partial = partials.find(id);
    if (partial == partials.end()) continue;
    const Shape shape = other_axes(graph.type(partial->second.operand).shape, partial->second.axes);
    result += numel(shape) * static_cast<std::int64_t>(info(graph.type({id, 0}).dtype).size);
  }
  return result;
}

namespace detail {

/// A short list of group numbers, without an allocation.
using GroupList = SmallVector<std::int32_t, 4>;

/// How many groups that read the same value are tried.
inline constexpr std::size_t max_groups_tried = 4;

/// The groups so far, and what other nodes can read in them.
struct GroupState {
  const Graph& graph;
  const FusionAnalysis& analysis;
  const Target& target;
  FusionGroups result{};
  // For each node: the latest group that its operands are in.
  Vector<std::int32_t> ready_after{};
  // For each node: the groups that read its elements.
  Vector<GroupList> readers{};
  // Groups of scalars that combine several scalar reductions.
  HashSet<std::int32_t> combining_scalars{};
  Refusals* refusals = nullptr;  // if somebody asks for reasons

  const Shape& shape(NodeId id) const { return graph[id].results[0].shape; }
  std::int32_t group_of(NodeId id) const { return result.placements[id].group; }
  FusionGroup& at(std::int32_t id) { return result.groups[id]; }
  const FusionGroup& at(std::int32_t id) const { return result.groups[id]; }

  /// Null if `id` is no partial reduction.
  const PartialReduction* partial(NodeId id) const {
    const auto found = result.partials.find(id);
    return found == result.partials.end() ? nullptr : &found->second;
  }
  /// What the reduction `id` reduces.
  Value reduced_operand(NodeId id) const {
    const PartialReduction* found = partial(id);
    return found == nullptr ? graph[id].inputs[0] : found->operand;
  }

  // The group after which another group can read `id`.
  std::int32_t after(NodeId id) const {
    return analysis.nodes[id].inlined ? ready_after[id] : group_of(id);
  }

  NodeList operands(NodeId id) const { return read_nodes(graph, id); }

  /// `id`, and what it is computed from through inlined nodes, these included.
  Worklist<NodeId> sources(NodeId id) const {
    Worklist<NodeId> found{id};
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!analysis.nodes[found[i]].inlined) continue;
      for (const NodeId operand : operands(found[i])) found.add(operand);
    }
    return found;
  }

  /// The groups that read `id` and are tried, the latest first.
  GroupList tried_readers(NodeId id) const {
    const auto& known = readers[id];
    const std::size_t count = std::min(known.size(), max_groups_tried);
    GroupList latest(known.end() - count, known.end());
    std::reverse(latest.begin(), latest.end());
    return latest;
  }

  /// The candidate indices of `value` in `group`: where its elements are computed there, its
  /// elements in the order of the space, or one element per grid point.
  SmallVector<Index, 3> candidate_indices(Value value, std::int32_t id, bool needs_whole) const {
    const FusionGroup& group = at(id);
    const Shape &shape = graph.type(value).shape, grid = grid_shape(group);
    SmallVector<Index, 3> found;
    if (group_of(beneath(graph, value)) == id) {
      const Index& below = result.placements[beneath(graph, value)].index;
      if (const auto index = inverse_index(graph, value, below)) found.push_back(*index);
    }
    const bool whole = group.kind != GroupKind::product && same(numel(group.space), numel(shape));
    if (whole) found.push_back(reshaped(group.ranges, group.space, shape));
    const bool one_each = group.kind != GroupKind::pointwise && !needs_whole;
    if (one_each && same(numel(grid), numel(shape))) {
      found.push_back(reshaped(grid_ranges(group), grid, shape));
    }
    return found;
  }

  /// Notes why `id` loads those of its operands that `group` computes; all of them by default.
  void refuse(NodeId id, std::string_view reason, std::int32_t group = no_group) const {
    if (refusals == nullptr) return;
    for (const NodeId operand : operands(id)) {
      if (group == no_group || group_of(operand) == group) refusals->add(operand, id, reason);
    }
  }

  /// Adds `id` to `group`, which computes it at `index`, or reads its operand there if it is a
  /// reduction. A partial result has no index, since it is complete only after the kernel.
  void place(NodeId id, std::int32_t group, const Index& index) {
    const bool reduces = is_reduction(graph[id].op);
    Placement& placed = result.placements[id] = {group, index, reduces ? index : Index()};
    if (partial(id) != nullptr) {
      placed.index = shape(id);
      for (int axis = 0; axis < placed.index.size(); ++axis) placed.index[axis] = 0;
    } else if (reduces) {
      placed.index = other_axes(index, reduced_axes(graph[id]));
    }
    at(group).members.push_back(id);
    for (const NodeId operand : operands(id)) {
      ready_after[id] = std::max(ready_after[id], after(operand));
      auto& known = readers[operand];
      if (known.empty() || known.back() != group) known.push_back(group);
    }
  }

  /// Adds `group`, with `id` as its first member.
  void place_alone(NodeId id, FusionGroup group) {
    result.groups.push_back(std::move(group));
    place(id, static_cast<std::int32_t>(result.groups.size()) - 1, result.groups.back().ranges);
  }
};

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::schedule
