#pragma once
// Merges fusion groups: a group moves into a later one that reads its results, or that reads the
// same values.

#include <algorithm>  // std::min
#include <cstdint>    // std::int32_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/container/worklist.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/positions.hpp>
#include <sinter/schedule/fuse/gather.hpp>
#include <sinter/schedule/fuse/live_out.hpp>
#include <sinter/schedule/ir/refusals.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A value that a group loads for one of the nodes that it computes.
struct GroupLoad {
  NodeId node = 0;     ///< The node that is loaded.
  NodeId reader = 0;   ///< The node that reads it: a member of the group, or inlined into it.
  NodeId member = 0;   ///< The member of the group for which it is read, ...
  NodeId operand = 0;  ///< ... and the operand of that: `node`, or inlined nodes that read it.
};

/// The loads of `group`: inputs, and results of other groups.
inline Vector<GroupLoad> loads_of(const Graph& graph, const FusionGroups& groups,
                                  const LiveOut& live_out, std::int32_t group) {
  struct Open {
    NodeId id = 0, member = 0, operand = 0;
  };
  Vector<GroupLoad> result;
  Vector<Open> open;
  for (const NodeId id : live_out.computed[group]) open.push_back({id, id, id});
  const auto visit = [&](const Open& reader, NodeId operand) {
    const std::int32_t owner = groups.placements[operand].group;
    const NodeId first = reader.id == reader.member ? operand : reader.operand;
    const GroupLoad load{operand, reader.id, reader.member, first};
    if (graph[operand].op == Op::input) return result.push_back(load);
    if (owner < 0 || owner == group) return;
    if (loads(live_out, groups, operand, group)) return result.push_back(load);
    open.push_back({operand, reader.member, first});  // inlined
  };
  while (!open.empty()) {
    const Open at = open.back();
    open.pop_back();
    for (const NodeId operand : read_nodes(graph, at.id)) visit(at, operand);
  }
  return result;
}

namespace detail {

inline constexpr std::ptrdiff_t max_siblings_tried = 4;
// Limit on the inlined readers that are traced.
inline constexpr std::size_t max_inlined_steps = 256;

struct GroupMerger {
  const Graph& graph;
  FusionGroups& groups;
  const LiveOut& live_out;
  Vector<Vector<GroupLoad>> read{};  // for each group
  // For each group: the other groups that read it.
  Vector<Vector<std::int32_t>> readers{};
  HashMap<NodeId, Vector<std::int32_t>> loaded_by{};
  bool changed = false;
  Refusals* refusals = nullptr;  // if somebody asks for reasons

  FusionGroup& at(std::int32_t id) { return groups.groups[id]; }
  std::int32_t group_of(NodeId id) const { return groups.placements[id].group; }

  void find_readers() {
    const auto count = static_cast<std::int32_t>(groups.groups.size());
    read.resize(groups.groups.size());
    readers.resize(groups.groups.size());
    for (std::int32_t id = 0; id < count; ++id) {
      read[id] = loads_of(graph, groups, live_out, id);
      for (const GroupLoad& load : read[id]) {
        auto& list = loaded_by[load.node];
        if (list.empty() || list.back() != id) list.push_back(id);
        if (group_of(load.node) < 0) continue;  // an input
        readers[group_of(load.node)].push_back(id);
      }
    }
  }

  bool is_read_before(std::int32_t of, std::int32_t to) const {
    const auto& list = readers[of];
    return any_of(list, [&](std::int32_t reader) { return reader < to; });
  }

  // Finds the values of the ranges of `from` in `to`. False if their iteration spaces differ.
  bool find_ranges(const FusionGroup& from, const FusionGroup& to, Substitutions& ranges) const {
    if (facts_of(from.kind).is_alone || facts_of(to.kind).is_alone) return false;
    if (to.kind == GroupKind::scan) return false;
    if (from.kind == GroupKind::product) return false;
    // A product is tiled, not divided into chunks.
    if (to.kind == GroupKind::product && !same(from.chunks, 0)) return false;
    const bool same_space =
        from.kind == to.kind && same(from.space, to.space) && from.reduced == to.reduced;
    const bool grid = from.kind == GroupKind::pointwise && same(from.space, grid_shape(to));
    if (!same_space && !grid) return false;
    const Index target = same_space ? to.ranges : grid_ranges(to);
    for (int i = 0; i < target.size(); ++i) {
      if (!from.ranges[i].is_number()) ranges.push_back({from.ranges[i], target[i]});
    }
    return true;
  }

  // Whether `group` would compute `node` for `id`, which it does not load.
  bool depends(NodeId id, NodeId node, std::int32_t group) const {
    Worklist<NodeId> open{beneath(graph, id)};
    for (std::size_t i = 0; i < open.size(); ++i) {
      const Node& reader = graph[open[i]];
      if (open[i] == node) return true;
      if (loads(live_out, groups, open[i], group)) continue;
      for (const Value input : reader.inputs)
        open.add(beneath(graph, read_node(graph, reader, input)));
    }
    return false;
  }

  // Whether all that `to` computes reads `node` only at the element that `from` computes.
  bool reads_same_element(NodeId node, std::int32_t to, const Substitutions& ranges) const;

  void move(std::int32_t from, std::int32_t to, const Substitutions& ranges) {
    place_members(groups, at(from).members, to, ranges);
    at(to).members.append(at(from).members.begin(), at(from).members.end());
    if (same(at(to).chunks, 0)) at(to).chunks = at(from).chunks;
    at(from).members.clear();
    for (const std::int32_t reader : readers[from]) {
      if (reader != to) readers[to].push_back(reader);
    }
    changed = true;
  }

  // Whether the partial results of both fit in shared memory.
  bool partials_fit_both(std::int32_t from, std::int32_t to) const {
    if (groups.max_partial_bytes == unbounded) return true;
    return proven_less_equal(
        group_partial_bytes(graph, groups, from) + group_partial_bytes(graph, groups, to),
        groups.max_partial_bytes);
  }

  // Why `from` cannot move into `to`, a later group; empty if it can. Finds the values that the
  // ranges of `from` have in `to`.
  std::string_view obstacle(std::int32_t from, std::int32_t to, Substitutions& ranges) const {
    const FusionGroup& source = groups.groups[from];
    const FusionGroup& target = groups.groups[to];
    if (is_read_before(from, to)) return refusal::kernel_between;
    if (!same(source.chunks, 0) && !same(target.chunks, 0) && !same(source.chunks, target.chunks)) {
      return "their sums are divided into different chunks";
    }
    if (!same(source.chunks, 0) && !partials_fit_both(from, to)) {
      return "their partial results do not fit in shared memory";
    }
    if (source.members.size() + target.members.size() > max_group_members) {
      return refusal::many_operations;
    }
    if (!find_ranges(source, target, ranges)) return refusal::other_space;
    for (const GroupLoad& load : read[to]) {
      if (group_of(load.node) != from) continue;
      if (!reads_same_element(load.node, to, ranges)) return refusal::other_element;
    }
    return "";
  }

  std::string_view try_merge(std::int32_t from, std::int32_t to) {
    if (from < 0 || from >= to || at(from).members.empty()) return "";
    Substitutions ranges;
    const std::string_view found = obstacle(from, to, ranges);
    if (found.empty()) move(from, to, ranges);
    return found;
  }

  // Keeps an earlier reason, which is more specific.
  void refuse(const GroupLoad& load, std::string_view obstacle) const {
    if (refusals == nullptr || obstacle.empty()) return;
    const bool is_known = !refusals->reason(load.operand, load.member).empty();
    if (!is_known) refusals->add(load.operand, load.member, obstacle);
  }

  void merge() {
    find_readers();
    for (std::int32_t to = 0; to < static_cast<std::int32_t>(read.size()); ++to) {
      for (const GroupLoad& load : read[to]) {
        refuse(load, try_merge(group_of(load.node), to));
      }
      for (const GroupLoad& load : read[to]) {
        merge_siblings(load.node, to);
      }
    }
  }

  // Tries earlier groups over the same space that load `node`, if `node` is as large as the space.
  void merge_siblings(NodeId node, std::int32_t to) {
    if (!same(numel(graph[node].results[0].shape), numel(at(to).space))) return;
    const auto& list = loaded_by[node];
    const auto self = find(list, to);
    const auto tried = std::min<std::ptrdiff_t>(max_siblings_tried, self - list.begin());
    for (auto other = self - tried; other != self; ++other) {
      if (same(at(*other).space, at(to).space)) try_merge(*other, to);
    }
  }
};

// Traces what the members of a group read, through inlined values, to a node that it computes.
// A member counts if it is read at other elements than its own; a node of another group always
// does.
struct ReadTracer {
  const GroupMerger& merger;
  NodeId node = 0;
  std::int32_t group = no_group;
  Index expected{};  // where the group would compute the node
  const Graph& graph = merger.graph;
  Vector<Position> open{};

  bool depends(NodeId id) const { return merger.depends(id, node, group); }

  bool ask(Value value, const Index& index) {
    const NodeId below = beneath(graph, value);
    const std::int32_t owner = merger.group_of(below);
    const bool computed = owner >= 0 && !loads(merger.live_out, merger.groups, below, group);
    if (below != node && !computed) return true;
    const Position found = element(graph, value, index);
    if (found.node != below) return !depends(below);  // in the padding
    if (below == node) return same(found.index, expected);
    const Index& place = merger.groups.placements[below].index;
    if (owner == group && same(found.index, place)) return true;
    const Op op = graph[below].op;
    if (!is_elementwise(op) && op != Op::gather) return !depends(below);
    open.push_back(found);
    return true;
  }

  bool ask_operands(NodeId reader, const Index& index) {
    const Node& asking = graph[reader];
    if (is_movement(asking.op)) return ask(reader, index);
    if (asking.op == Op::gather) {
      const auto axis = static_cast<int>(number(asking, "axis"));
      const Extent size = graph.type(asking.inputs[0]).shape[axis];
      const Extent at = Extent::range(first_gather_range, size);
      return ask(asking.inputs[1], indices_index(graph, asking, index)) &&
             ask(asking.inputs[0], gathered_index(graph, asking, index, at));
    }
    const bool in_place = is_elementwise(asking.op) || is_reduction(asking.op);
    return all_of(asking.inputs, [&](Value input) {
      if (!in_place) return !depends(read_node(graph, asking, input));
      return ask(input, graph.type(input).shape.empty() ? Index() : index);
    });
  }

  bool fits() {
    for (const NodeId member : merger.live_out.computed[group]) {
      const Placement& place = merger.groups.placements[member];
      const Index& index = is_reduction(graph[member].op) ? place.reads : place.index;
      const auto partial = merger.groups.partials.find(member);
      const bool fits = partial != merger.groups.partials.end()
                            ? ask(partial->second.operand, index)
                            : ask_operands(member, index);
      if (!fits) return false;
    }
    for (std::size_t steps = 0; !open.empty(); ++steps) {
      const Position at = open.back();
      open.pop_back();
      if (steps == max_inlined_steps || !ask_operands(at.node, at.index)) return false;
    }
    return true;
  }
};

inline bool GroupMerger::reads_same_element(NodeId node, std::int32_t to,
                                            const Substitutions& ranges) const {
  return ReadTracer{*this, node, to, substituted(groups.placements[node].index, ranges)}.fits();
}

}  // namespace detail

/// Merges each group into its first reader, if that has the same iteration space and reads only the
/// element it is about to compute; or into a group over the same space that loads the same
/// elements. Returns whether any group was merged. `refusals`, if not null, gets the reasons of
/// what is not merged.
inline bool merge_fusion_groups(const Graph& graph, FusionGroups& groups, const LiveOut& live_out,
                                Refusals* refusals = nullptr) {
  detail::GroupMerger merger{graph, groups, live_out};
  merger.refusals = refusals;
  merger.merge();
  return merger.changed;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
