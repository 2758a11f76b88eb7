#pragma once

#include <algorithm>      // std::any_of
#include <unordered_map>  // std::unordered_map
#include <utility>        // std::move
#include <vector>         // std::vector

#include <sinter/schedule/assemble.hpp>
#include <sinter/schedule/loops.hpp>
#include <sinter/schedule/name.hpp>
#include <sinter/schedule/order.hpp>
#include <sinter/schedule/statistics.hpp>
#include <sinter/schedule/tile.hpp>

namespace sinter::inline SINTER_ABI::schedule {

namespace detail {

struct Assembler {
  const Graph& graph;
  const Options& options;
  Plan plan{};
  std::vector<Lowered> kernels{};
  std::unordered_map<NodeId, std::int32_t> buffers{};  // of nodes, and of copies of nodes
  std::unordered_map<Hash, std::int32_t, HashOfHash> known{};
  std::unordered_map<NodeId, NodeId> copies{};  // what is copied, and what stands for its copy

  std::int32_t add_buffer(NodeId node, const TensorType& type, Home home, std::int32_t position) {
    plan.buffers.push_back({type.dtype, numel(type.shape), home, position});
    const auto id = static_cast<std::int32_t>(plan.buffers.size()) - 1;
    buffers.emplace(node, id);
    return id;
  }

  const TensorType& type(NodeId node) const { return graph[node].results[0]; }

  NodeId copy_of(NodeId node) {
    const auto next = static_cast<NodeId>(graph.nodes.size() + copies.size());
    return copies.emplace(node, next).first->second;
  }

  // An output that is the old value of an input which another output updates.
  bool is_overwritten(NodeId input) const {
    return std::any_of(options.updates.begin(), options.updates.end(), [&](const Update& update) {
      const auto from = static_cast<std::size_t>(update.input);
      const auto to = static_cast<std::size_t>(update.output);
      return graph.inputs[from] == input && stored_node(graph, graph.outputs[to]) != input;
    });
  }

  void copy_overwritten() {
    for (Value output : graph.outputs) {
      const NodeId node = stored_node(graph, output);
      const bool copied = graph[node].op == Op::input && copies.count(node) == 0;
      if (!copied || !is_overwritten(node)) continue;
      kernels.push_back(lower_copy(node, copy_of(node), type(node)));
    }
  }

  // Appends the copies of updates, which run last.
  void copy_updates(Order& order) {
    for (const NodeId node : order.copied) {
      order.kernels.push_back(kernels.size());
      kernels.push_back(lower_copy(node, copy_of(node), type(node)));
    }
  }

  void add_inputs() {
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const NodeId node = graph.inputs[i];
      plan.inputs.push_back(
          add_buffer(node, type(node), Home::input, static_cast<std::int32_t>(i)));
    }
  }

  void add_outputs() {
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const NodeId node = stored_node(graph, graph.outputs[i]);
      const auto copy = copies.find(node);
      const NodeId at = copy == copies.end() ? node : copy->second;
      const auto found = buffers.find(at);
      plan.outputs.push_back(found != buffers.end() ? found->second
                                                    : add_buffer(at, type(node), Home::output,
                                                                 static_cast<std::int32_t>(i)));
    }
  }

  std::int32_t buffer_of(NodeId node) {
    const auto found = buffers.find(node);
    return found != buffers.end() ? found->second : add_buffer(node, type(node), Home::arena, -1);
  }

  std::int32_t add_kernel(Kernel kernel) {
    const auto next = static_cast<std::int32_t>(plan.kernels.size());
    const auto [entry, is_new] = known.emplace(hash_of(kernel), next);
    if (is_new) plan.kernels.push_back(std::move(kernel));
    return entry->second;
  }

  void add_launch(Lowered& lowered) {
    Kernel& kernel = lowered.kernel;
    Launch launch;
    for (const NodeId node : lowered.nodes) launch.buffers.push_back(buffer_of(node));
    measure(kernel, launch);
    order_grid(kernel);
    merge_loops(kernel);
    tile(kernel, lowered.is_product);
    kernel.name = name_of(kernel, lowered.is_product);
    launch.sizes = rename_variables(kernel);
    launch.kernel = add_kernel(std::move(kernel));
    plan.launches.push_back(std::move(launch));
  }
};

}  // namespace detail

SINTER_INLINE Plan assemble(const Graph& graph, std::vector<Lowered> kernels,
                            const Options& options) {
  detail::Assembler assembler{graph, options};
  assembler.kernels = std::move(kernels);
  assembler.copy_overwritten();
  Order order = schedule::order(graph, assembler.kernels, options.updates);
  assembler.copy_updates(order);
  assembler.add_inputs();
  assembler.add_outputs();
  for (const std::size_t at : order.kernels) assembler.add_launch(assembler.kernels[at]);
  return std::move(assembler.plan);
}

}  // namespace sinter::inline SINTER_ABI::schedule
