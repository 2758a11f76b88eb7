#pragma once
// Segmented-reduction fusion: reductions over segments of rows are fused into the group that
// computes the rows.

#include <algorithm>  // std::min
#include <limits>     // std::numeric_limits
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/fuse/gather.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/fuse/partial_reductions.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

struct SegmentedReductionFuser {
  static constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max();

  struct Movable {
    std::int32_t group = 0;
    Vector<NodeId> reductions{}, rest{};
  };

  GroupState& builder;
  Vector<Vector<NodeId>> readers{};  // of each node

  const Graph& graph() const { return builder.graph; }

  void find_readers() {
    readers.resize(graph().nodes.size());
    for (const NodeId id : builder.analysis.order) {
      for (const NodeId operand : builder.operands(id)) readers[operand].push_back(id);
    }
  }

  // The first group that reads `id`, directly or through inlined nodes; readers in `rest` do not
  // count.
  std::int32_t first_reader(NodeId id, const Vector<NodeId>& rest) const {
    std::int32_t result = last;
    for (const NodeId reader : readers[id]) {
      if (contains(rest, reader)) continue;
      const std::int32_t first = builder.analysis.nodes[reader].inlined ? first_reader(reader, rest)
                                                                        : builder.group_of(reader);
      result = std::min(result, first);
    }
    return result;
  }

  bool can_move(NodeId id) const {
    const Node& node = graph()[id];
    const bool combines = is_reduction(node.op) && node.op != Op::argmax;
    if (!combines || builder.result.partials.count(id) != 0) return false;
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
    return all_of(movable.rest, [&](NodeId id) { return first_reader(id, movable.rest) == last; });
  }

  // Groups that compute or load the operand of `id`.
  Vector<std::int32_t> target_groups(NodeId id) const {
    Vector<std::int32_t> result;
    Vector<NodeId> open{beneath(graph(), graph()[id].inputs[0])};
    for (std::size_t i = 0; i < open.size() && i < max_group_members; ++i) {
      const std::int32_t owner = builder.group_of(open[i]);
      const Vector<std::int32_t> readers_of_it = builder.tried_readers(open[i]);
      result.insert(result.end(), readers_of_it.begin(), readers_of_it.end());
      if (owner == no_group || !builder.analysis.nodes[open[i]].inlined) {
        if (owner != no_group) result.push_back(owner);
        continue;
      }
      const Vector<NodeId> operands = builder.operands(open[i]);
      open.insert(open.end(), operands.begin(), operands.end());
    }
    stable_sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  // Whether `id`, reduced over the rows of `group` at `index`, has several results per grid point,
  // contiguous in the order of the grid.
  bool is_segmented(NodeId id, const FusionGroup& group, const Index& index) const {
    const std::uint32_t axes = mask_of(numbers(graph()[id], "axes"));
    const Coverage found(group, index, axes);
    const std::uint32_t grid = looped_axes(group) & ~group.reduced;
    if ((found.reduced & found.kept) != 0 || !std::has_single_bit(grid)) return false;
    if ((found.reduced & ~group.reduced) != 0 || (grid & ~found.kept) != 0) return false;
    const Shape& shape = graph().type(graph()[id].inputs[0]).shape;
    const Extent kept = linear(other_axes(index, axes), other_axes(shape, axes));
    const Extent point = group.ranges[std::countr_zero(grid)];
    const Extent results = numel(graph()[id].results[0].shape);
    if (!proven_divisible(results, point.range_extent())) return false;
    const Extent each = floor_div(results, point.range_extent()), rest = without(kept, point);
    const auto step = coefficient_of(kept, point);
    if (!step || !same(*step, each) || !proven_less(rest, each) || !proven_ge0(rest)) return false;
    return trailing_axes(looped_axes(group), found.reduced) == found.reduced &&
           has_long_segments(id);
  }

  bool has_long_segments(NodeId id) const {
    const Extent elements = numel(graph().type(graph()[id].inputs[0]).shape);
    const SegmentLimits& limits = builder.target.segments;
    if (!elements.is_number() || elements.number() <= limits.most_short_elements) return true;
    return elements.number() >=
           limits.fewest_elements * numel(graph()[id].results[0].shape).number();
  }

  struct ReductionMove {
    NodeId id = 0;
    Index reads{};
    bool whole = false;  // reduces all of the reduced axes of the group
  };

  bool reads(NodeId id, const Index& index, std::int32_t group) const {
    ElementReader reader{builder, group};
    return reader.reads(graph()[id].inputs[0], index);
  }

  bool try_move(const Movable& movable, std::int32_t to) {
    FusionGroup group = builder.at(to);
    const Vector<NodeId>& list = movable.reductions;
    const bool fresh = same(group.chunks, 0) || same(group.chunks, one_chunk_per_point);
    if (group.kind != GroupKind::rows || !fresh || !can_follow(movable, to)) return false;
    if (group.members.size() + list.size() > max_group_members) return false;
    Vector<ReductionMove> moves;
    Substitutions values;
    bool fuses = false;
    std::uint32_t axes = 0;
    const auto separates = [&](const FusionGroup& split, const Index& in_split) {
      const Coverage found(split, in_split, axes);
      return (found.reduced & found.kept) == 0;
    };
    for (const NodeId id : list) {
      const Shape& shape = graph().type(graph()[id].inputs[0]).shape;
      axes = mask_of(numbers(graph()[id], "axes"));
      if (!same(numel(shape), numel(group.space)) || first_reader(id, movable.rest) <= to) {
        return false;
      }
      Index index = reshaped(group.ranges, group.space, shape);
      if (!reads(id, reshaped(builder.at(to).ranges, builder.at(to).space, shape), to)) {
        return false;
      }
      if (values.empty()) split_shared_axis(group, index, axes, values, separates);
      const Coverage found(group, index, axes);
      const bool whole = (found.reduced & found.kept) == 0 && found.reduced == group.reduced;
      if (!whole && !is_segmented(id, group, index)) return false;
      fuses |= !whole;
      moves.push_back({id, index, whole});
    }
    if (fuses) group.chunks = one_chunk_per_point;
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
      const std::uint32_t axes = mask_of(numbers(node, "axes"));
      if (one.whole) {
        builder.place(one.id, to, other_axes(one.reads, axes));
        builder.result.placements[one.id].reads = one.reads;
      } else {
        builder.result.partials.emplace(
            one.id, PartialReduction{node.inputs[0], axes, one_chunk_per_point});
        place_partial(builder, one.id, to, one.reads);
      }
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
      if (readers.empty()) find_readers();
      for (const std::int32_t to : target_groups(movable.reductions[0])) {
        if (to != from && try_move(movable, to)) break;
      }
    }
  }
};

/// Fuses such reductions, once all groups are known.
inline void fuse_segmented_reductions(GroupState& builder) {
  SegmentedReductionFuser{builder}.run();
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
