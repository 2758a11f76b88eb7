#pragma once
// Merges fusion groups: a group moves into a later one that reads its results, or that reads the
// same values.

#include <algorithm>    // std::min
#include <cstdint>      // std::int32_t
#include <string_view>  // std::string_view
#include <utility>      // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/fuse/legality.hpp>
#include <sinter/schedule/fuse/live_out.hpp>
#include <sinter/schedule/ir/refusals.hpp>
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

struct GroupMerger {
  GroupState& state;
  const LiveOut& live_out;
  Vector<Vector<GroupLoad>> read{};  // for each group
  // For each group: the other groups that read it.
  Vector<Vector<std::int32_t>> readers{};
  HashMap<NodeId, Vector<std::int32_t>> loaded_by{};
  bool changed = false;

  FusionGroup& at(std::int32_t id) { return state.at(id); }
  std::int32_t group_of(NodeId id) const { return state.group_of(id); }

  void find_readers() {
    const auto count = static_cast<std::int32_t>(state.result.groups.size());
    read.resize(state.result.groups.size());
    readers.resize(state.result.groups.size());
    for (std::int32_t id = 0; id < count; ++id) {
      read[id] = loads_of(state.graph, state.result, live_out, id);
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

  void move(std::int32_t from, std::int32_t to, const Substitutions& ranges) {
    place_members(state.result, at(from).members, to, ranges);
    at(to).members.append(at(from).members.begin(), at(from).members.end());
    if (same(at(to).chunks, 0)) at(to).chunks = at(from).chunks;
    at(from).members.clear();
    for (const std::int32_t reader : readers[from]) {
      if (reader != to) readers[to].push_back(reader);
    }
    changed = true;
  }

  // Why `from` cannot move into `to`, a later group; empty if it can. Finds the values that the
  // ranges of `from` have in `to`.
  std::string_view obstacle(std::int32_t from, std::int32_t to, Substitutions& ranges) const {
    const FusionGroup& source = state.result.groups[from];
    if (is_read_before(from, to)) return refusal::kernel_between;
    std::string_view found = room_obstacle(state, to, source.members, source.chunks);
    if (found.empty()) found = space_obstacle(source, state.result.groups[to], ranges);
    const bool reads =
        any_of(read[to], [&](const GroupLoad& load) { return group_of(load.node) == from; });
    if (!found.empty() || !reads) return found;
    return ElementReader{state, to, max_inlined_steps, from, ranges}.obstacle(
        live_out.computed[to]);
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
    if (state.refusals == nullptr || obstacle.empty()) return;
    const bool is_known = !state.refusals->reason(load.operand, load.member).empty();
    if (!is_known) state.refusals->add(load.operand, load.member, obstacle);
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
    if (!same(numel(state.graph[node].results[0].shape), numel(at(to).space))) return;
    const auto& list = loaded_by[node];
    const auto self = find(list, to);
    const auto tried = std::min<std::ptrdiff_t>(max_siblings_tried, self - list.begin());
    for (auto other = self - tried; other != self; ++other) {
      if (same(at(*other).space, at(to).space)) try_merge(*other, to);
    }
  }
};

}  // namespace detail

/// Merges each group into its first reader, if that has the same iteration space and reads only the
/// element it is about to compute; or into a group over the same space that loads the same
/// elements. Returns whether any group was merged. `refusals`, if not null, gets the reasons of
/// what is not merged.
inline bool merge_fusion_groups(const Graph& graph, const FusionAnalysis& analysis,
                                const Target& target, FusionGroups& groups, const LiveOut& live_out,
                                Refusals* refusals = nullptr) {
  detail::GroupState state{graph, analysis, target, std::move(groups)};
  state.refusals = refusals;
  detail::GroupMerger merger{state, live_out};
  merger.merge();
  groups = std::move(state.result);
  return merger.changed;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
