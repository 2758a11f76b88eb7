#pragma once

// Why a value goes through memory from one kernel to another.

#include <sinter/schedule/explain.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

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
