#pragma once

// Partial results that are alone in their kernels, when all clusters are known: they join one that
// reads what they are made of.

#include <algorithm>      // std::all_of, std::find, std::min, std::reverse, std::stable_partition
#include <set>            // std::set
#include <unordered_map>  // std::unordered_map
#include <unordered_set>  // std::unordered_set
#include <vector>         // std::vector

#include <sinter/schedule/cluster.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

using ReadersOfRows = std::unordered_map<NodeId, std::set<std::int32_t>>;

// Whether `cluster` computes nothing but `id` that would not be computed where it is read; on a GPU
// what is combined beside it goes elsewhere as well.
SINTER_INLINE bool is_alone_in(Clusterer& clusterer, NodeId id, std::int32_t cluster) {
  if (!clusterer.host) return only_combines(clusterer.result, clusterer.survey, cluster);
  const std::vector<NodeId>& members = clusterer.at(cluster).members;
  return std::all_of(members.begin(), members.end(), [&](NodeId member) {
    return member == id || clusterer.survey.nodes[member].inlined;
  });
}

// Nodes that are not inlined of which `of` is made, element by element or however it reads them.
SINTER_INLINE std::vector<NodeId> made_of(const Clusterer& clusterer, NodeId of) {
  std::vector<NodeId> open = clusterer.operands(of), result;
  std::unordered_set<NodeId> seen(open.begin(), open.end());
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (!clusterer.survey.nodes[id].inlined) {
      result.push_back(id);
      continue;
    }
    for (const NodeId below : clusterer.operands(id)) {
      if (seen.insert(below).second) open.push_back(below);
    }
  }
  return result;
}

// For each node which clusters read it that go over rows anyway, with what is inlined there.
SINTER_INLINE ReadersOfRows readers_of_rows(const Clusterer& clusterer) {
  ReadersOfRows result;
  const auto& clusters = clusterer.result.clusters;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (clusters[i].kind != ClusterKind::rows) continue;
    for (const NodeId member : clusters[i].members) {
      if (clusterer.result.partials.count(member) != 0) continue;
      for (const NodeId read : made_of(clusterer, member)) {
        result[read].insert(static_cast<std::int32_t>(i));
      }
    }
  }
  return result;
}

// `operand`, or what that is made of where it is inlined.
SINTER_INLINE std::vector<NodeId> read_for(const Clusterer& clusterer, NodeId operand) {
  if (!clusterer.survey.nodes[operand].inlined) return {operand};
  return made_of(clusterer, operand);
}

// Clusters in which `operand` may be reduced: those that read it or, beside rows, its operands.
SINTER_INLINE std::vector<std::int32_t> readers_of(const Clusterer& clusterer, NodeId operand,
                                                   const ReadersOfRows& rows) {
  const std::vector<std::int32_t>& known = clusterer.readers[operand];
  std::set<std::int32_t> result(known.begin(), known.end());
  for (const NodeId read : read_for(clusterer, operand)) {
    const auto found = rows.find(read);
    if (found != rows.end()) result.insert(found->second.begin(), found->second.end());
  }
  return {result.begin(), result.end()};
}

// Those of them in which `id` may be reduced before what reads it, the latest first.
SINTER_INLINE std::vector<std::int32_t> companions_of(const Clusterer& clusterer, NodeId id,
                                                      NodeId operand, const ReadersOfRows& rows) {
  const std::vector<std::int32_t>& after = clusterer.readers[id];
  std::vector<std::int32_t> result = readers_of(clusterer, operand, rows);
  const auto fits = [&](std::int32_t other) {
    return other != clusterer.home(id) &&
           std::all_of(after.begin(), after.end(),
                       [&](std::int32_t reader) { return other < reader; });
  };
  result.erase(std::stable_partition(result.begin(), result.end(), fits), result.end());
  std::reverse(result.begin(), result.end());
  return result;
}

// Moves `id` there, if it is alone in its kernel.
SINTER_INLINE void visit_partial_again(Clusterer& clusterer, NodeId id, ReadersOfRows& rows) {
  const std::int32_t own = clusterer.home(id);
  if (own == nowhere || !is_alone_in(clusterer, id, own)) return;
  const NodeId operand = beneath(clusterer.graph, clusterer.result.partials.at(id).operand);
  const std::vector<std::int32_t> known = companions_of(clusterer, id, operand, rows);
  for (std::size_t i = 0; i < std::min(known.size(), most_tried); ++i) {
    if (!join_companion(clusterer, id, known[i])) continue;
    std::vector<NodeId>& members = clusterer.at(own).members;
    members.erase(std::find(members.begin(), members.end(), id));
    for (const NodeId read : read_for(clusterer, operand)) rows[read].insert(known[i]);
    return;
  }
}

SINTER_INLINE void visit_partials_again(Clusterer& clusterer) {
  if (clusterer.result.partials.empty()) return;
  ReadersOfRows rows = clusterer.host ? ReadersOfRows{} : readers_of_rows(clusterer);
  for (const NodeId id : clusterer.survey.order) {
    if (clusterer.result.partials.count(id) != 0) visit_partial_again(clusterer, id, rows);
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
