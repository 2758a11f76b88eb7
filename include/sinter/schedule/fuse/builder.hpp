#pragma once
// Builds fusion groups: each node is fused into an existing group, or creates one.

#include <cstddef>        // std::size_t
#include <cstdint>        // std::int32_t, std::uint32_t
#include <string_view>    // std::string_view

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/fuse/groups.hpp>
#include <sinter/schedule/ir/refusals.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

/// How many groups that read the same value are tried.
inline constexpr std::size_t max_groups_tried = 4;
/// The group of a node that has none.
inline constexpr std::int32_t no_group = -1;

/// The groups so far, and the rules that decide which of them a node is fused into.
struct GroupBuilder {
  const Graph& graph;
  const FusionAnalysis& analysis;
  const Target& target;
  FusionGroups result{};
  // For each node: the latest group that its operands are in.
  Vector<std::int32_t> ready_after{};
  // For each node: the groups that read its elements.
  Vector<Vector<std::int32_t>> readers{};
  // Groups of scalars that combine several scalar reductions.
  HashSet<std::int32_t> combining_scalars{};
  Refusals* refusals = nullptr;  // if somebody asks for reasons

  const Shape& shape(NodeId id) const { return graph[id].results[0].shape; }
  std::int32_t group_of(NodeId id) const { return result.placements[id].group; }
  FusionGroup& at(std::int32_t id) { return result.groups[id]; }

  // The group after which another group can read `id`.
  std::int32_t after(NodeId id) const {
    return analysis.nodes[id].inlined ? ready_after[id] : group_of(id);
  }

  Vector<NodeId> operands(NodeId id) const { return read_nodes(graph, id); }
  /// The groups that read `id` and are tried, the latest first.
  Vector<std::int32_t> tried_readers(NodeId id) const;
  /// The candidate indices of `value` in `group`: where its elements are computed there, its
  /// elements in the order of the space, or one element per grid point.
  Vector<Index> candidate_indices(Value value, std::int32_t id, bool needs_whole);
  /// Why `group` cannot read `value` at `index`; empty if an earlier group computes it, or this one
  /// does for the same element.
  std::string_view read_obstacle(Value value, const Index& index, std::int32_t group) const;
  bool reads(Value value, const Index& index, std::int32_t group) const {
    return read_obstacle(value, index, group).empty();
  }
  /// Why `group` cannot read the operands of element `index` of `id`; empty if it can.
  std::string_view operand_obstacle(NodeId id, const Index& index, std::int32_t group) const;
  /// Whether earlier groups compute all operands of a concatenation, which are read at offsets.
  bool operands_precede(const Node& node, std::int32_t group) const;
  void place(NodeId id, std::int32_t group, const Index& index);
  bool has_room(std::int32_t group) { return at(group).members.size() < max_group_members; }

  /// The operands of an elementwise `id`, which have its index; else `id` itself.
  Vector<Value> elementwise_operands(NodeId id) const;
  /// Whether `index` iterates over rows that one thread would compute alone.
  bool is_serial(const FusionGroup& group, const Index& index) const;
  std::string_view fuse_pointwise(NodeId id, std::int32_t group, bool needs_whole);
  std::string_view fuse_reduction(NodeId id, std::int32_t group);
  /// Argmax returns the first of equal elements, so it has to visit them in memory order.
  bool preserves_order(NodeId id, const FusionGroup& group, const Index& index, std::uint32_t axes,
                       std::uint32_t reduced) const;
  /// Why the group cannot reduce the axes of `id`; empty if it can. A pointwise group becomes rows.
  std::string_view reduction_obstacle(NodeId id, std::int32_t group_id, const Index& index);
  /// Fuses `id` into `group`; if it cannot, says why.
  std::string_view fuse(NodeId id, std::int32_t group, bool needs_whole);
  /// Notes why `id` loads those of its operands that `group` computes; all of them by default.
  void refuse(NodeId id, std::string_view reason, std::int32_t group = no_group) const;
  /// Groups that compute an operand. First those that would have to store it, the latest first;
  /// then the others, the earliest first, so that siblings share a group.
  Vector<std::int32_t> producer_groups(NodeId id) const;
  bool fuse_with_producer(NodeId id);
  void create(NodeId id, GroupKind kind, const Shape& space, std::uint32_t axes);
  /// A scan or a sort, which iterates along one axis of its own elements.
  void create_row_group(NodeId id, GroupKind kind);
  /// Creates the group of an operation that never joins another one.
  bool visit_separate(NodeId id);
  void visit(NodeId id);
};

}  // namespace detail

/// With Target::finalizers, a scalar reduction of values that many threads compute gets a kernel of
/// its own, which becomes a finalizer of the first one.
/// `refusals`, if not null, gets the reasons of what is not fused.
FusionGroups create_fusion_groups(const Graph& graph, const FusionAnalysis& analysis,
                                  PartialReductions partials = {}, const Target& target = {},
                                  Refusals* refusals = nullptr);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/builder.ipp>
#endif
