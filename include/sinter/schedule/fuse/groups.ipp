#pragma once

#include <algorithm>  // std::all_of

#include <sinter/schedule/fuse/groups.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE bool only_combines(const Clusters& clusters, const Survey& survey,
                                 std::int32_t cluster) {
  const auto& members = clusters.clusters[static_cast<std::size_t>(cluster)].members;
  return std::all_of(members.begin(), members.end(), [&](NodeId member) {
    return clusters.partials.count(member) != 0 || survey.nodes[member].inlined;
  });
}

namespace detail {

SINTER_INLINE Extent bytes_of_chunk(const Graph& graph, const Clusters& clusters, NodeId id) {
  const Partial& partial = clusters.partials.at(id);
  const auto size = static_cast<std::int64_t>(info(graph.type({id, 0}).dtype).size);
  return numel(other_axes(graph.type(partial.operand).shape, partial.axes)) * size;
}

}  // namespace detail

SINTER_INLINE Extent combined_bytes(const Graph& graph, const Clusters& clusters,
                                    std::int32_t cluster) {
  Extent result = 0;
  for (const NodeId member : clusters.clusters[static_cast<std::size_t>(cluster)].members) {
    if (clusters.partials.count(member) == 0) continue;
    result += detail::bytes_of_chunk(graph, clusters, member);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
