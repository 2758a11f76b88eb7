#pragma once

#include <optional>       // std::optional
#include <unordered_map>  // std::unordered_map
#include <unordered_set>  // std::unordered_set
#include <utility>        // std::pair

#include <sinter/graph/print.hpp>
#include <sinter/schedule/explain/fusion_log.hpp>
#include <sinter/schedule/explain/row_tiles.hpp>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/merge.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

struct Explainer {
  const Fusion& fusion;
  const std::vector<Lowered>& kernels;
  std::vector<std::vector<Reading>> read{};         // by each cluster
  std::vector<std::int32_t> homes{};                // of each cluster: its kernel, or -1
  std::vector<std::vector<std::int32_t>> parts{};   // of each kernel: its clusters
  std::vector<std::vector<std::int32_t>> before{};  // of each kernel: those that it loads from
  std::optional<BlockReasons> blocks{};
  std::unordered_map<std::int32_t, std::size_t> lowered_of{};  // of each cluster: its own kernel

  const Graph& graph() const { return fusion.graph; }
  const Cluster& at(std::int32_t id) const {
    return fusion.clusters.clusters[static_cast<std::size_t>(id)];
  }
  // Of an input: -1.
  std::int32_t cluster_of(NodeId node) const { return fusion.clusters.placements[node].cluster; }
  std::int32_t home(std::int32_t cluster) const {
    return cluster < 0 ? -1 : homes[static_cast<std::size_t>(cluster)];
  }

  // The kernel that a cluster became, or a part of it. Where others write all that it stores, the
  // first of them.
  void find_homes() {
    std::unordered_map<NodeId, std::int32_t> writers;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for (std::size_t i = 0, node = 0; i < kernels[k].kernel.arguments.size(); ++i) {
        const Access access = kernels[k].kernel.arguments[i].access;
        if (access == Access::local) continue;
        const NodeId of = kernels[k].nodes[node++];
        if (access != Access::read) writers.emplace(of, static_cast<std::int32_t>(k));
      }
    }
    homes.assign(fusion.clusters.clusters.size(), -1);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for (const std::int32_t id : kernels[k].clusters) {
        std::int32_t& home = homes[static_cast<std::size_t>(id)];
        if (home < 0) home = static_cast<std::int32_t>(k);
      }
    }
    for (std::size_t id = 0; id < homes.size(); ++id) {
      for (const NodeId node : fusion.demand.stored[id]) {
        const auto writer = writers.find(node);
        if (homes[id] < 0 && writer != writers.end()) homes[id] = writer->second;
      }
    }
  }

  void find_blocks(const std::vector<Lowered>& lowered) {
    blocks.emplace(graph(), lowered, fusion.gpu);
    for (std::size_t k = 0; k < lowered.size(); ++k) {
      for (const std::int32_t id : lowered[k].clusters) lowered_of.emplace(id, k);
    }
  }

  // Why the two are not in one block; empty if that is not what decides.
  std::string reason_of_blocks(const Reading& reading, std::int32_t to) const {
    const auto reader = lowered_of.find(to);
    if (!blocks || reader == lowered_of.end()) return "";
    return blocks->reason(reading.node, reader->second);
  }

  void prepare() {
    const auto count = static_cast<std::int32_t>(fusion.clusters.clusters.size());
    for (std::int32_t id = 0; id < count; ++id) {
      read.push_back(readings(graph(), fusion.clusters, fusion.demand, id));
    }
    find_homes();
    parts.resize(kernels.size());
    before.resize(kernels.size());
    for (std::int32_t id = 0; id < count; ++id) {
      if (home(id) < 0) continue;
      parts[static_cast<std::size_t>(home(id))].push_back(id);
      for (const Reading& reading : read[static_cast<std::size_t>(id)]) {
        const std::int32_t from = home(cluster_of(reading.node));
        if (from < 0 || from == home(id)) continue;
        before[static_cast<std::size_t>(home(id))].push_back(from);
      }
    }
  }

  std::string space_of(const Cluster& cluster) const {
    const Shape rows = row_shape(graph(), cluster);
    return rows.empty() ? text(cluster.space) : text(grid_shape(cluster), " x ", rows);
  }

  std::string summary(std::int32_t id) const {
    std::string result = space_of(at(id));
    std::string_view separator = ": ";
    for (const NodeId node : fusion.demand.computed[static_cast<std::size_t>(id)]) {
      if (is_movement(graph()[node].op)) continue;
      result += text(separator, origin(graph()[node]));
      separator = "; ";
    }
    return result;
  }

  std::string reason(const Reading& reading, std::int32_t to) const;
  std::string reason_of_kind(const Reading& reading, std::int32_t to) const;
  std::string reason_of_points(const Reading& reading, std::int32_t to) const;
  std::string movement_between(const Reading& reading) const;
  std::int32_t kernel_between(std::int32_t from, std::int32_t to) const;

  void explain(std::size_t kernel, std::vector<std::string>& lines) const {
    std::string start = text("kernel ", kernel, ", ");
    for (const std::int32_t id : parts[kernel]) {
      lines.push_back(text(start, summary(id)));
      start = "  then ";
    }
    for (const auto& [node, reason] : reasons_of(kernel)) {
      lines.push_back(text("  loads ", origin(graph()[node]), ", of kernel ",
                           home(cluster_of(node)), ": ", reason));
    }
  }

  // Of what a kernel loads from others. Where it reads a value several times, one reader that
  // could not have it otherwise is reason enough.
  std::vector<std::pair<NodeId, std::string>> reasons_of(std::size_t kernel) const {
    std::vector<std::pair<NodeId, std::string>> result;
    std::unordered_map<NodeId, std::size_t> known;
    std::unordered_set<NodeId> certain;
    for (const std::int32_t id : parts[kernel]) {
      for (const Reading& reading : read[static_cast<std::size_t>(id)]) {
        const std::int32_t from = home(cluster_of(reading.node));
        if (from < 0 || from == static_cast<std::int32_t>(kernel)) continue;
        const bool is_new = known.emplace(reading.node, result.size()).second;
        if (is_new) result.emplace_back(reading.node, reason(reading, id));
        std::string of_kind = reason_of_blocks(reading, id);
        if (of_kind.empty()) of_kind = reason_of_kind(reading, id);
        if (of_kind.empty() || !certain.insert(reading.node).second) continue;
        result[known[reading.node]].second = of_kind;
      }
    }
    return result;
  }
};

}  // namespace detail

SINTER_INLINE std::vector<std::string> explain(const Fusion& fusion,
                                               const std::vector<Lowered>& kernels,
                                               const std::vector<Lowered>* lowered) {
  std::vector<std::string> result;
  detail::Explainer explainer{fusion, kernels};
  if (lowered != nullptr) explainer.find_blocks(*lowered);
  explainer.prepare();
  for (std::size_t i = 0; i < kernels.size(); ++i) explainer.explain(i, result);
  return result;
}

// Why a value goes through memory from one kernel to another.

namespace detail {

// What the kind of the two decides, whatever their sizes are; empty if nothing.
SINTER_INLINE std::string Explainer::reason_of_kind(const Reading& reading, std::int32_t to) const {
  const Cluster& from = at(cluster_of(reading.node));
  const Op reader = graph()[reading.reader].op;
  if (reader == Op::dot_general && from.kind == ClusterKind::product) {
    return "each of two products reads each element many times";
  }
  if (reader == Op::dot_general) return "a product reads each element many times";
  if (reader == Op::gather) return "it is read at indices that only the run knows";
  if (fusion.clusters.partials.count(reading.node) != 0) {
    return "what the threads reduced is put together when all of them have ended";
  }
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
  return "";
}

// What the points decide over which the two run; empty if nothing.
SINTER_INLINE std::string Explainer::reason_of_points(const Reading& reading,
                                                      std::int32_t to) const {
  const Cluster& from = at(cluster_of(reading.node));
  const Cluster& target = at(to);
  const auto is_serial = [](const Cluster& cluster) {
    return cluster.kind == ClusterKind::rows && !is_parallel(cluster);
  };
  if (is_serial(from) != is_serial(target)) {
    return text("the reduction over ", space_of(is_serial(from) ? from : target),
                " has too few rows for threads to share");
  }
  const bool same_space = same(from.space, target.space);
  const bool both_rows = from.kind == ClusterKind::rows && target.kind == ClusterKind::rows;
  if (same_space && both_rows && from.reduced != target.reduced) {
    return text("its reduction goes over other axes: ", space_of(from), ", not ", space_of(target));
  }
  const bool product_rows = from.kind == ClusterKind::product && target.kind == ClusterKind::rows;
  const bool fits = same_space || same(grid_shape(from), grid_shape(target));
  if (product_rows || !fits) {
    return text("computed over ", space_of(from), ", read over ", space_of(target));
  }
  return "";
}

// The operations through which the reader sees other elements than its own: "permute, slice".
SINTER_INLINE std::string Explainer::movement_between(const Reading& reading) const {
  std::string result;
  for (const Value input : graph()[reading.reader].inputs) {
    if (beneath(graph(), input) != reading.node) continue;
    for (NodeId id = input.node; id != reading.node; id = graph()[id].inputs[0].node) {
      const Op op = graph()[id].op;
      if (op == Op::reshape || op == Op::expand) continue;
      result += text(result.empty() ? "" : ", ", info(op).name);
    }
  }
  return result;
}

// A kernel that needs `from`, and that `to` needs; -1 if there is none.
SINTER_INLINE std::int32_t Explainer::kernel_between(std::int32_t from, std::int32_t to) const {
  for (const std::int32_t last : before[static_cast<std::size_t>(to)]) {
    if (last == from) continue;
    std::vector<std::int32_t> open{last};
    std::unordered_set<std::int32_t> known{last};
    while (!open.empty()) {
      const std::int32_t kernel = open.back();
      open.pop_back();
      if (kernel == from) return last;
      for (const std::int32_t next : before[static_cast<std::size_t>(kernel)]) {
        if (known.insert(next).second) open.push_back(next);
      }
    }
  }
  return -1;
}

SINTER_INLINE std::string Explainer::reason(const Reading& reading, std::int32_t to) const {
  const std::string of_blocks = reason_of_blocks(reading, to);
  if (!of_blocks.empty()) return of_blocks;
  const std::string of_kind = reason_of_kind(reading, to);
  if (!of_kind.empty()) return of_kind;
  const std::int32_t cluster = cluster_of(reading.node);
  const std::int32_t between = kernel_between(home(cluster), home(to));
  if (between >= 0) return text("kernel ", between, ", which runs between them, needs it too");
  const std::string of_points = reason_of_points(reading, to);
  if (!of_points.empty()) return of_points;
  const std::string movement = movement_between(reading);
  if (!movement.empty()) return text("it is read at other elements, through ", movement);
  const std::size_t members = at(cluster).members.size() + at(to).members.size();
  if (members > most_members) {
    return text("together they would be ", members, " operations, more than ", most_members);
  }
  if (same(numel(at(to).space), 1))
    return "it needs several totals, of kernels that do not wait for each other";
  return "no rule of fusion puts them together";
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::schedule
