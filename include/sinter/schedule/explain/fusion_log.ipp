#pragma once

#include <utility>        // std::pair

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/schedule/explain/fusion_log.hpp>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/merge.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

struct Explainer {
  const FusionResult& fusion;
  const Vector<LoweredKernel>& kernels;
  const Refusals& refusals;
  Vector<Vector<GroupLoad>> loads{};                // of each group
  Vector<std::int32_t> kernel_of_group{};           // of each group: its kernel, or -1
  Vector<Vector<std::int32_t>> groups{};            // of each kernel: its groups
  // Of each kernel: those that it loads from.
  Vector<Vector<std::int32_t>> predecessors{};

  const Graph& graph() const { return fusion.graph; }
  const FusionGroup& at(std::int32_t id) const {
    return fusion.groups.groups[static_cast<std::size_t>(id)];
  }
  // -1 for an input.
  std::int32_t group_of(NodeId node) const { return fusion.groups.placements[node].group; }
  std::int32_t kernel_of(std::int32_t group) const {
    return group < 0 ? -1 : kernel_of_group[static_cast<std::size_t>(group)];
  }

  // Finds the kernel that each group became, or became a part of: the first one if several kernels
  // write its results.
  void find_kernels() {
    HashMap<NodeId, std::int32_t> writers;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for (std::size_t i = 0, node = 0; i < kernels[k].kernel.arguments.size(); ++i) {
        const Access access = kernels[k].kernel.arguments[i].access;
        if (access == Access::local) continue;
        const NodeId of = kernels[k].nodes[node++];
        if (access != Access::read) writers.emplace(of, static_cast<std::int32_t>(k));
      }
    }
    kernel_of_group.assign(fusion.groups.groups.size(), -1);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for (const std::int32_t id : kernels[k].groups) {
        std::int32_t& kernel_id = kernel_of_group[static_cast<std::size_t>(id)];
        if (kernel_id < 0) kernel_id = static_cast<std::int32_t>(k);
      }
    }
    for (std::size_t id = 0; id < kernel_of_group.size(); ++id) {
      for (const NodeId node : fusion.live_out.stored[id]) {
        const auto writer = writers.find(node);
        if (kernel_of_group[id] < 0 && writer != writers.end())
          kernel_of_group[id] = writer->second;
      }
    }
  }

  void prepare() {
    const auto count = static_cast<std::int32_t>(fusion.groups.groups.size());
    for (std::int32_t id = 0; id < count; ++id) {
      loads.push_back(loads_of(graph(), fusion.groups, fusion.live_out, id));
    }
    find_kernels();
    groups.resize(kernels.size());
    predecessors.resize(kernels.size());
    for (std::int32_t id = 0; id < count; ++id) {
      if (kernel_of(id) < 0) continue;
      groups[static_cast<std::size_t>(kernel_of(id))].push_back(id);
      for (const GroupLoad& load : loads[static_cast<std::size_t>(id)]) {
        const std::int32_t from = kernel_of(group_of(load.node));
        if (from < 0 || from == kernel_of(id)) continue;
        predecessors[static_cast<std::size_t>(kernel_of(id))].push_back(from);
      }
    }
  }

  std::string space_of(const FusionGroup& group) const {
    const Shape rows = row_shape(graph(), group);
    return rows.empty() ? text(group.space) : text(grid_shape(group), " x ", rows);
  }

  std::string summary(std::int32_t id) const {
    std::string result = space_of(at(id));
    std::string_view separator = ": ";
    for (const NodeId node : fusion.live_out.computed[static_cast<std::size_t>(id)]) {
      if (is_movement(graph()[node].op)) continue;
      result += text(separator, origin(graph()[node]));
      separator = "; ";
    }
    return result;
  }

  std::string reason(const GroupLoad& load, std::int32_t to) const;
  std::string reason_from_kind(const GroupLoad& load, std::int32_t to) const;
  std::string reason_from_space(const GroupLoad& load, std::int32_t to) const;
  std::string movement_between(const GroupLoad& load) const;
  std::int32_t kernel_between(std::int32_t from, std::int32_t to) const;

  void explain(std::size_t kernel, std::vector<std::string>& lines) const {
    std::string start = text("kernel ", kernel, ", ");
    for (const std::int32_t id : groups[kernel]) {
      lines.push_back(text(start, summary(id)));
      start = "  then ";
    }
    for (const auto& [node, reason] : reasons_of(kernel)) {
      lines.push_back(text("  loads ", origin(graph()[node]), ", from kernel ",
                           kernel_of(group_of(node)), ": ", reason));
    }
  }

  // The values that a kernel loads from others, and why. If several nodes read a value, one reason
  // that rules fusion out is enough.
  Vector<std::pair<NodeId, std::string>> reasons_of(std::size_t kernel) const {
    Vector<std::pair<NodeId, std::string>> result;
    HashMap<NodeId, std::size_t> known;
    HashSet<NodeId> certain;
    for (const std::int32_t id : groups[kernel]) {
      for (const GroupLoad& load : loads[static_cast<std::size_t>(id)]) {
        const std::int32_t from = kernel_of(group_of(load.node));
        if (from < 0 || from == static_cast<std::int32_t>(kernel)) continue;
        const bool is_new = known.emplace(load.node, result.size()).second;
        if (is_new) result.emplace_back(load.node, reason(load, id));
        std::string from_kind(refusals.reason(load.node, id));
        if (from_kind.empty()) from_kind = reason_from_kind(load, id);
        if (from_kind.empty() || !certain.insert(load.node).second) continue;
        result[known[load.node]].second = from_kind;
      }
    }
    return result;
  }
};

}  // namespace detail

SINTER_INLINE std::vector<std::string> explain(const FusionResult& fusion,
                                               const Vector<LoweredKernel>& kernels,
                                               const Refusals& refusals) {
  std::vector<std::string> result;
  detail::Explainer explainer{fusion, kernels, refusals};
  explainer.prepare();
  for (std::size_t i = 0; i < kernels.size(); ++i) explainer.explain(i, result);
  return result;
}

SINTER_INLINE void log_fusion(const FusionResult& fusion, const Vector<LoweredKernel>& kernels,
                              const Refusals& refusals) {
  if (!log_enabled(Log::fusion)) return;
  for (const std::string& line : explain(fusion, kernels, refusals)) log(Log::fusion, line);
}

namespace detail {

// Values that no group stores or reduces are computed by the kernels of their readers.
SINTER_INLINE void add_inlined(Grouping& grouping) {
  Vector<bool> inlined;
  for (const auto& kernels : grouping.kernels) inlined.push_back(kernels.empty());
  for (auto id = static_cast<NodeId>(grouping.graph.nodes.size()); id-- > 0;) {
    for (const Value input : grouping.graph[id].inputs) {
      auto& kernels = grouping.kernels[input.node];
      if (!inlined[input.node] || grouping.graph[input.node].op == Op::input) continue;
      for (const std::int32_t kernel : grouping.kernels[id]) {
        if (!contains(kernels, kernel)) kernels.push_back(kernel);
      }
    }
  }
}

}  // namespace detail

SINTER_INLINE Grouping grouping_of(const FusionResult& fusion, const Vector<LoweredKernel>& kernels,
                                   const Refusals& refusals) {
  detail::Explainer explainer{fusion, kernels, refusals};
  explainer.prepare();
  Grouping result;
  result.graph = fusion.graph;
  result.kernels.resize(fusion.graph.nodes.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    explainer.explain(i, result.log.emplace_back());
    for (const std::int32_t id : explainer.groups[i]) {
      for (const NodeId node : fusion.live_out.computed[static_cast<std::size_t>(id)]) {
        result.kernels[node].push_back(static_cast<std::int32_t>(i));
      }
    }
  }
  detail::add_inlined(result);
  return result;
}

// Why a value passes through memory from one kernel to another.

namespace detail {

// The reason if the kinds of the two groups rule fusion out, whatever their sizes; else empty.
SINTER_INLINE std::string Explainer::reason_from_kind(const GroupLoad& load,
                                                      std::int32_t to) const {
  const FusionGroup& from = at(group_of(load.node));
  const Op reader = graph()[load.reader].op;
  if (reader == Op::dot_general && from.kind == GroupKind::product) {
    return "a product reads each element of another product many times";
  }
  if (reader == Op::dot_general) return "a product reads each element of its operand many times";
  if (reader == Op::gather) return "it is gathered at indices known only at run time";
  if (fusion.groups.partials.count(load.node) != 0) {
    return "partial results are combined after all threads finish";
  }
  if (reader == Op::scatter_add) return "a scatter adds its elements sequentially";
  if (from.kind == GroupKind::concatenate) return "a concatenation writes its operands one by one";
  if (reader == Op::concatenate) return "a concatenation reads it at an offset";
  if (from.kind == GroupKind::scan) return "a scan computes its rows sequentially";
  if (from.kind == GroupKind::sort) return "it is complete only after its row is sorted";
  if (info(reader).kind == OpKind::row) return "a sort or scan needs a kernel of its own";
  if (from.kind == GroupKind::scatter) return "a scatter is complete only after all its additions";
  if (from.kind == GroupKind::product && at(to).kind == GroupKind::product) {
    return "each product needs a kernel of its own";
  }
  return "";
}

// The reason if their iteration spaces rule it out; else empty.
SINTER_INLINE std::string Explainer::reason_from_space(const GroupLoad& load,
                                                       std::int32_t to) const {
  const FusionGroup& from = at(group_of(load.node));
  const FusionGroup& target = at(to);
  const auto is_serial = [&](const FusionGroup& group) {
    return group.kind == GroupKind::rows && !is_parallel(group, fusion.target.parallel);
  };
  if (is_serial(from) != is_serial(target)) {
    return text("the reduction over ", space_of(is_serial(from) ? from : target),
                " has too few rows to share among threads");
  }
  const bool same_space = same(from.space, target.space);
  const bool both_rows = from.kind == GroupKind::rows && target.kind == GroupKind::rows;
  if (same_space && both_rows && from.reduced != target.reduced) {
    return text("it is reduced over different axes: ", space_of(from), ", not ", space_of(target));
  }
  const bool product_rows = from.kind == GroupKind::product && target.kind == GroupKind::rows;
  const bool fits = same_space || same(grid_shape(from), grid_shape(target));
  if (product_rows || !fits) {
    return text("computed over ", space_of(from), ", read over ", space_of(target));
  }
  return "";
}

// The movement operations between the node and its reader: "permute, slice".
SINTER_INLINE std::string Explainer::movement_between(const GroupLoad& load) const {
  std::string result;
  for (const Value input : graph()[load.reader].inputs) {
    if (beneath(graph(), input) != load.node) continue;
    for (NodeId id = input.node; id != load.node; id = graph()[id].inputs[0].node) {
      const Op op = graph()[id].op;
      if (op == Op::reshape || op == Op::expand) continue;
      result += text(result.empty() ? "" : ", ", info(op).name);
    }
  }
  return result;
}

// A kernel that depends on `from` and that `to` depends on; -1 if there is none.
SINTER_INLINE std::int32_t Explainer::kernel_between(std::int32_t from, std::int32_t to) const {
  for (const std::int32_t last : predecessors[static_cast<std::size_t>(to)]) {
    if (last == from) continue;
    Vector<std::int32_t> open{last};
    HashSet<std::int32_t> known{last};
    while (!open.empty()) {
      const std::int32_t kernel = open.back();
      open.pop_back();
      if (kernel == from) return last;
      for (const std::int32_t next : predecessors[static_cast<std::size_t>(kernel)]) {
        if (known.insert(next).second) open.push_back(next);
      }
    }
  }
  return -1;
}

SINTER_INLINE std::string Explainer::reason(const GroupLoad& load, std::int32_t to) const {
  const std::string_view refused = refusals.reason(load.node, to);
  if (!refused.empty()) return std::string(refused);
  const std::string from_kind = reason_from_kind(load, to);
  if (!from_kind.empty()) return from_kind;
  const std::int32_t group = group_of(load.node);
  const std::int32_t between = kernel_between(kernel_of(group), kernel_of(to));
  if (between >= 0) return text("kernel ", between, " has to run between them");
  const std::string from_space = reason_from_space(load, to);
  if (!from_space.empty()) return from_space;
  const std::string movement = movement_between(load);
  if (!movement.empty()) return text("it is read at different elements, through ", movement);
  const std::size_t members = at(group).members.size() + at(to).members.size();
  if (members > max_group_members) {
    return text("fused they would have ", members, " operations, more than ", max_group_members);
  }
  if (same(numel(at(to).space), 1)) return "it combines scalar reductions of independent kernels";
  return "no fusion rule applies";
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::schedule
