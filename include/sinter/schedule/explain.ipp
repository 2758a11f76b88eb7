#pragma once

#include <unordered_set>  // std::unordered_set

#include <sinter/graph/print.hpp>
#include <sinter/schedule/explain.hpp>

namespace sinter::inline SINTER_ABI::schedule {

namespace detail {

struct Explainer {
  const Graph& graph;
  const Clusters& clusters;
  const Demand& demand;

  const Cluster& at(std::int32_t id) const {
    return clusters.clusters[static_cast<std::size_t>(id)];
  }

  std::string space_of(const Cluster& cluster) const {
    std::string result = text(cluster.space);
    const Shape rows = row_shape(graph, cluster);
    return rows.empty() ? result : text(grid_shape(cluster), " x ", rows);
  }

  std::string summary(std::int32_t id) const {
    std::string result = space_of(at(id));
    std::string_view separator = ": ";
    for (const NodeId node : demand.computed[static_cast<std::size_t>(id)]) {
      if (is_movement(graph[node].op)) continue;
      result += text(separator, origin(graph[node]));
      separator = "; ";
    }
    return result;
  }

  // Why `reading` goes through memory.
  std::string reason(const Reading& reading, std::int32_t to) const {
    const Cluster& from = at(clusters.placements[reading.node].cluster);
    const Op reader = graph[reading.reader].op;
    if (reader == Op::dot_general) return "a product reads each element many times";
    if (reader == Op::gather) return "it is read at indices that only the run knows";
    if (reader == Op::scatter_add) return "elements are added one after the other";
    if (from.kind == ClusterKind::parts) return "its parts are written one by one";
    if (reader == Op::concatenate) return "it is a part that is read at a place of its own";
    if (from.kind == ClusterKind::scan) return "its rows are computed one element after the other";
    if (from.kind == ClusterKind::sort) return "it is complete only when a row is sorted";
    if (info(reader).kind == OpKind::row) return "rows are a kernel of their own";
    if (from.kind == ClusterKind::scatter) return "it is complete only after all additions";
    if (from.kind == ClusterKind::product && at(to).kind == ClusterKind::product) {
      return "each product is a kernel of its own";
    }
    const bool same_points = same(grid_shape(from), grid_shape(at(to)));
    if (!same_points || from.reduced != at(to).reduced) {
      return text("computed over ", space_of(from), ", read over ", space_of(at(to)));
    }
    return "another kernel runs between, or it is read at other elements";
  }

  void explain(std::int32_t id, std::vector<std::string>& lines) const {
    if (demand.computed[static_cast<std::size_t>(id)].empty()) return;
    lines.push_back(summary(id));
    std::unordered_set<NodeId> known;
    for (const Reading& reading : readings(graph, clusters, demand, id)) {
      if (graph[reading.node].op == Op::input || !known.insert(reading.node).second) continue;
      lines.push_back(text("  loads ", origin(graph[reading.node]), ": ", reason(reading, id)));
    }
  }
};

}  // namespace detail

SINTER_INLINE std::vector<std::string> explain(const Graph& graph, const Clusters& clusters,
                                               const Demand& demand) {
  std::vector<std::string> result;
  const detail::Explainer explainer{graph, clusters, demand};
  for (std::size_t i = 0; i < clusters.clusters.size(); ++i) {
    explainer.explain(static_cast<std::int32_t>(i), result);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::schedule
