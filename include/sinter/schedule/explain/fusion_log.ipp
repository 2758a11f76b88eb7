#pragma once

#include <utility>        // std::pair

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/schedule/explain/fusion_log.hpp>
#include <sinter/schedule/fuse/fuse.hpp>
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

  const Graph& graph() const { return fusion.graph; }
  const FusionGroup& at(std::int32_t id) const { return fusion.groups.groups[id]; }
  // -1 for an input.
  std::int32_t group_of(NodeId node) const { return fusion.groups.placements[node].group; }
  std::int32_t kernel_of(std::int32_t group) const {
    return group < 0 ? -1 : kernel_of_group[group];
  }

  // Finds the kernel that each group became, or became a part of: the first one if several kernels
  // write its results.
  void find_kernels() {
    HashMap<NodeId, std::int32_t> writers;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for_each_buffer(kernels[k], [&](NodeId of, std::size_t i) {
        const Access access = kernels[k].kernel.arguments[i].access;
        if (access != Access::read) writers.emplace(of, static_cast<std::int32_t>(k));
      });
    }
    kernel_of_group.assign(fusion.groups.groups.size(), -1);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for (const std::int32_t id : kernels[k].groups) {
        std::int32_t& kernel_id = kernel_of_group[id];
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
    for (std::int32_t id = 0; id < count; ++id) {
      if (kernel_of(id) >= 0) groups[kernel_of(id)].push_back(id);
    }
  }

  std::string space_of(const FusionGroup& group) const {
    const Shape rows = row_shape(graph(), group);
    return rows.empty() ? text(group.space) : text(grid_shape(group), " x ", rows);
  }

  std::string summary(std::int32_t id) const {
    std::string result = space_of(at(id));
    std::string_view separator = ": ";
    for (const NodeId node : fusion.live_out.computed[id]) {
      if (is_movement(graph()[node].op)) continue;
      result += text(separator, origin(graph()[node]));
      separator = "; ";
    }
    return result;
  }

  // The reason of the last stage that tried to fuse the two.
  std::string_view reason(const GroupLoad& load, std::int32_t to) const {
    for (const std::string_view refused :
         {refusals.reason_of_group(load.node, to), refusals.reason(load.operand, load.member),
          refusals.reason(load.node, load.reader)}) {
      if (!refused.empty()) return refused;
    }
    return "no fusion rule applies";
  }

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

  // The values that a kernel loads from others, and why its first reader of each does.
  Vector<std::pair<NodeId, std::string_view>> reasons_of(std::size_t kernel) const {
    Vector<std::pair<NodeId, std::string_view>> result;
    HashMap<NodeId, std::pair<std::size_t, NodeId>> first;  // the place in result, the reader
    for (const std::int32_t id : groups[kernel]) {
      for (const GroupLoad& load : loads[id]) {
        const std::int32_t from = kernel_of(group_of(load.node));
        if (from < 0 || from == static_cast<std::int32_t>(kernel)) continue;
        const auto [known, is_new] =
            first.emplace(load.node, std::pair(result.size(), load.member));
        if (is_new) result.emplace_back(load.node, reason(load, id));
        if (load.member >= known->second.second) continue;
        known->second.second = load.member;
        result[known->second.first].second = reason(load, id);
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
      for (const NodeId node : fusion.live_out.computed[id]) {
        result.kernels[node].push_back(static_cast<std::int32_t>(i));
      }
    }
  }
  detail::add_inlined(result);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
