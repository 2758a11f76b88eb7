#pragma once
// Builds fusion groups: each node joins a group that exists, or creates one.

#include <cstddef>        // std::size_t
#include <cstdint>        // std::int32_t, std::uint32_t
#include <unordered_set>  // std::unordered_set
#include <vector>         // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/fuse/groups.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

/// A kernel with more values is slow to compile and short of registers.
inline constexpr std::size_t most_members = 64;
/// How many clusters that read the same value are tried.
inline constexpr std::size_t most_tried = 4;
/// The cluster of a node that has none.
inline constexpr std::int32_t nowhere = -1;

/// The clusters so far, and what decides which of them a node joins.
struct Clusterer {
  const Graph& graph;
  const Survey& survey;
  bool host = false;
  Clusters result{};
  std::vector<std::int32_t> anchors{};               // the latest cluster that inlining needs
  std::vector<std::vector<std::int32_t>> readers{};  // of the elements of a node, as they lie
  std::unordered_set<std::int32_t> sums_totals{};    // clusters of scalars that need several totals

  const Shape& shape(NodeId id) const { return graph[id].results[0].shape; }
  std::int32_t home(NodeId id) const { return result.placements[id].cluster; }
  Cluster& at(std::int32_t id) { return result.clusters[static_cast<std::size_t>(id)]; }

  // The cluster after which a reader in another one can run.
  std::int32_t after(NodeId id) const { return survey.nodes[id].inlined ? anchors[id] : home(id); }

  std::vector<NodeId> operands(NodeId id) const;
  /// The indices that `value` could have in `cluster`: where its elements are those that are
  /// computed there; those of the space, in order; one for each point of the grid.
  std::vector<Index> proposals(Value value, std::int32_t id, bool needs_whole);
  /// Whether `value` at `index` is to be had in `cluster`: computed there for the same element, or
  /// before.
  bool reads(Value value, const Index& index, std::int32_t cluster) const;
  bool reads_all(NodeId id, const Index& index, std::int32_t cluster) const;
  /// Parts are read elsewhere than at the element that is computed.
  bool reads_before(const Node& node, std::int32_t cluster) const;
  void place(NodeId id, std::int32_t cluster, const Index& index);
  bool has_room(std::int32_t cluster) { return at(cluster).members.size() < most_members; }

  /// The values that have the elements of pointwise `id`, or itself.
  std::vector<Value> alike(NodeId id) const;
  /// Whether `index` goes over all of the space where that is not to be left to one thread.
  bool is_serial(const Cluster& cluster, const Index& index) const;
  bool join_pointwise(NodeId id, std::int32_t cluster, bool needs_whole);
  /// The axes of the space whose ranges occur in the reduced axes of `index`; nothing if one of
  /// them occurs in another axis too.
  bool find_reduced(const Cluster& cluster, const Index& index, std::uint32_t axes,
                    std::uint32_t& reduced) const;
  bool join_reduction(NodeId id, std::int32_t cluster);
  /// Of equal elements argmax gives the first, so it has to meet them as they lie.
  bool is_in_order(NodeId id, const Cluster& cluster, const Index& index, std::uint32_t axes,
                   std::uint32_t reduced) const;
  /// Whether the cluster reduces the axes of `id`, or can from now on.
  bool can_reduce(NodeId id, std::int32_t cluster_id, const Index& index);
  bool join(NodeId id, std::int32_t cluster, bool needs_whole);
  /// Clusters in which an operand is computed: first those that would have to store it, the latest
  /// of them first; then the others, the first of them first, so that siblings meet there.
  std::vector<std::int32_t> producers(NodeId id) const;
  bool join_producer(NodeId id);
  void found(NodeId id, ClusterKind kind, const Shape& space, std::uint32_t axes);
  /// A node that goes along one axis of its own elements.
  void found_row(NodeId id, ClusterKind kind);
  void visit(NodeId id);
};

}  // namespace detail

/// With `host`, numbers that are reduced from what many threads compute are kernels of their own:
/// the finish of the first one has them.
Clusters cluster(const Graph& graph, const Survey& survey, Partials partials = {},
                 bool host = false);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/builder.ipp>
#endif
