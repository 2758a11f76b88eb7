#pragma once
// Segmented-reduction fusion: reductions over segments of rows are fused into the group that
// computes the rows.

#include <cstdint>      // std::int32_t, std::uint32_t
#include <string_view>  // std::string_view
#include <utility>      // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/container/worklist.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/fuse/legality.hpp>
#include <sinter/schedule/fuse/profitability.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

struct SegmentedReductionFuser {
  struct Movable {
    std::int32_t group = 0;
    Vector<NodeId> reductions{}, rest{};
  };

  GroupState& builder;
  const Readers& readers;

  const Graph& graph() const { return builder.graph; }

  bool can_move(NodeId id) const {
    const Node& node = graph()[id];
    const bool combines = is_reduction(node.op) && node.op != Op::argmax;
    if (!combines || builder.partial(id) != nullptr) return false;
    if (builder.shape(id).empty()) return false;  // a scalar, which may wait for other reductions
    const DType dtype = node.results[0].dtype;
    const Extent results = numel(node.results[0].shape);
    return is_floating(dtype) && computed_in(dtype) == dtype && results.is_number() &&
           results.number() <= builder.target.segments.most_results;
  }

  // The segmented reductions of `group`, and the elementwise nodes computed from them, if it stores
  // nothing else.
  Movable movable_of(std::int32_t group) const {
    Movable result{group};
    const FusionGroup& known = builder.result.groups[group];
    if (known.kind != GroupKind::rows || !same(known.chunks, 0)) return result;
    for (const NodeId member : known.members) {
      const NodeFacts& facts = builder.analysis.nodes[member];
      if (facts.inlined && !facts.stored) continue;
      const bool moves = can_move(member);
      const bool made = is_elementwise(graph()[member].op) &&
                        same(numel(builder.shape(member)), numel(grid_shape(known)));
      if (!moves && !made) return Movable{group};
      (moves ? result.reductions : result.rest).push_back(member);
    }
    return result;
  }

  // Whether `rest` can run after `to`.
  bool can_follow(const Movable& movable, std::int32_t to) const {
    if (to < movable.group) return true;
    return all_of(movable.rest,
                  [&](NodeId id) { return readers.first(id, movable.rest) == Readers::last; });
  }

  // Groups of rows that compute or load the operand of `id`.
  Vector<std::int32_t> target_groups(NodeId id) const {
    SortedSet<std::int32_t> found;
    const auto add = [&](std::int32_t group) {
      if (group != no_group && builder.at(group).kind == GroupKind::rows) found.insert(group);
    };
    const Worklist<NodeId> sources = builder.sources(beneath(graph(), graph()[id].inputs[0]));
    for (std::size_t i = 0; i < sources.size() && i < max_group_members; ++i) {
      if (!builder.analysis.nodes[sources[i]].inlined) add(builder.group_of(sources[i]));
      for (const std::int32_t reader : builder.tried_readers(sources[i])) add(reader);
    }
    return {found.begin(), found.end()};
  }

  struct ReductionMove {
    NodeId id = 0;
    Index reads{};
    bool whole = false;  // reduces all of the reduced axes of the group
  };

  // Whether `id` can run in `to`, before its readers, and iterates over as many elements.
  bool is_candidate(NodeId id, const Movable& movable, std::int32_t to) const {
    const Shape& shape = graph().type(graph()[id].inputs[0]).shape;
    return same(numel(shape), numel(builder.at(to).space)) && readers.first(id, movable.rest) > to;
  }

  // Why `to` cannot compute `move`, whose index it completes. `group` is what becomes of it: one of
  // its axes may be split.
  std::string_view obstacle(ReductionMove& move, std::int32_t to, FusionGroup& group,
                            Substitutions& values) const {
    const Node& node = graph()[move.id];
    const Shape& shape = graph().type(node.inputs[0]).shape;
    const Index index = reshaped(builder.at(to).ranges, builder.at(to).space, shape);
    std::string_view found = ElementReader{builder, to}.read_obstacle(node.inputs[0], index);
    if (found.empty()) found = loss(builder, move.id, to, {index});
    if (!found.empty()) return found;
    move.reads = reshaped(group.ranges, group.space, shape);
    const std::uint32_t axes = reduced_axes(node);
    const auto separates = [&](const FusionGroup& split, const Index& in_split) {
      return !Coverage(split, in_split, axes).overlaps();
    };
    if (values.empty()) split_shared_axis(group, move.reads, axes, values, separates);
    move.whole = rows_obstacle(graph(), node, group, move.reads).empty();
    const bool fits = move.whole || is_segmented(graph(), node, group, move.reads);
    return fits ? "" : refusal::different_axes;
  }

  bool try_move(const Movable& movable, std::int32_t to) {
    const Vector<NodeId>& list = movable.reductions;
    const auto fits = [&](NodeId id) { return is_candidate(id, movable, to); };
    if (!can_follow(movable, to) || !all_of(list, fits)) return false;
    FusionGroup group = builder.at(to);
    Vector<ReductionMove> moves;
    Substitutions values;
    for (const NodeId id : list) {
      moves.push_back({id});
      std::string_view found = obstacle(moves.back(), to, group, values);
      if (found.empty()) found = room_obstacle(builder, to, list, one_chunk_per_point);
      if (found.empty()) continue;
      builder.refuse(id, found, to);
      return false;
    }
    const auto is_whole = [](const ReductionMove& one) { return one.whole; };
    if (!all_of(moves, is_whole)) group.chunks = one_chunk_per_point;
    move(moves, values, std::move(group), movable, to);
    return true;
  }

  void move(const Vector<ReductionMove>& moves, const Substitutions& values, FusionGroup group,
            const Movable& movable, std::int32_t to) {
    place_members(builder.result, group.members, to, values);
    builder.at(to) = std::move(group);
    Vector<NodeId>& members = builder.at(movable.group).members;
    for (const ReductionMove& one : moves) {
      members.erase(find(members, one.id));
      const Node& node = graph()[one.id];
      if (!one.whole) {
        builder.result.partials.emplace(
            one.id, PartialReduction{node.inputs[0], reduced_axes(node), one_chunk_per_point});
      }
      builder.place(one.id, to, one.reads);
    }
    if (to > movable.group && !movable.rest.empty()) append(movable);
  }

  // Moves the rest to a new last group.
  void append(const Movable& movable) {
    FusionGroup after = builder.at(movable.group);
    builder.at(movable.group).members.clear();
    const auto id = static_cast<std::int32_t>(builder.result.groups.size());
    for (const NodeId member : after.members) builder.result.placements[member].group = id;
    builder.result.groups.push_back(std::move(after));
  }

  void run() {
    const auto count = static_cast<std::int32_t>(builder.result.groups.size());
    for (std::int32_t from = 0; from < count; ++from) {
      const Movable movable = movable_of(from);
      if (movable.reductions.empty()) continue;
      for (const std::int32_t to : target_groups(movable.reductions[0])) {
        if (to != from && try_move(movable, to)) break;
      }
    }
  }
};

/// Fuses such reductions, once all groups are known.
inline void fuse_segmented_reductions(GroupState& builder, const Readers& readers) {
  SegmentedReductionFuser{builder, readers}.run();
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
