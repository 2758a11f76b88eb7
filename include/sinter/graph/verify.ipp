#pragma once

#include <sinter/base/container/vector.hpp>
#include <sinter/graph/infer.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>

namespace sinter::inline SINTER_ABI::detail {

struct GraphCheck {
  const Graph& graph;

  void require(bool condition, std::string_view what) const {
    if (!condition) throw InternalError(text(what, "\n", graph));
  }
  void require(bool condition, NodeId id, std::string_view what) const {
    if (!condition) require(false, text("%", id, " = ", info(graph[id].op).name, " ", what));
  }

  void check_inputs(NodeId id) const {
    for (Value input : graph[id].inputs) {
      require(input.node < id, id, "reads a later node");
      require(input.result < graph[input.node].results.size(), id, "reads a missing result");
    }
  }

  void check_results(NodeId id) const {
    const Node& node = graph[id];
    SmallVector<TensorType, 4> types;
    for (Value input : node.inputs) types.push_back(graph.type(input));
    const auto results = infer(node, {types.data(), types.size()});
    require(results.size() == node.results.size(), id, "has the wrong number of results");
    for (std::size_t i = 0; i < results.size(); ++i) {
      require(same(results[i], node.results[i]), id, "has a result of another type");
    }
  }

  // Inputs in the order of their arguments, which need not be the order of their ids.
  void check_arguments() const {
    Vector<bool> listed(graph.nodes.size(), false);
    for (NodeId id : graph.inputs) {
      const bool is_input = id < graph.nodes.size() && graph[id].op == Op::input && !listed[id];
      require(is_input, text("%", id, " is listed as an input"));
      listed[id] = true;
    }
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      require(listed[id] || graph[id].op != Op::input, id, "is not listed as an input");
    }
    for (Value output : graph.outputs) {
      const bool exists =
          output.node < graph.nodes.size() && output.result < graph[output.node].results.size();
      require(exists, text("%", output.node, ".", output.result, " is an output and not there"));
    }
  }
};

SINTER_INLINE void verify(const Graph& graph) {
  const detail::GraphCheck check{graph};
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    check.check_inputs(id);
    check.check_results(id);
    for (const Graph& body : graph[id].bodies) verify(body);
  }
  check.check_arguments();
}

}  // namespace sinter::inline SINTER_ABI::detail
