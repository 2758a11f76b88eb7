#pragma once

#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/jit/lower/resolve_custom.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE bool has_custom(const Graph& graph) {
  return any_of(graph.nodes, [](const Node& node) {
    return node.op == Op::custom || any_of(node.bodies, has_custom);
  });
}

SINTER_INLINE void throw_no_kernel(const Node& node, bool on_gpu) {
  throw DeviceError(
      {.op = custom_code(node).name,
       .what = text("a custom operation has no kernel for ", on_gpu ? "GPUs" : "the host"),
       .facts = {},
       .rule = on_gpu ? "on a GPU .cuda computes it, else .reference"
                      : "on the host .call or .cpp computes it, else .reference",
       .fix = on_gpu ? "give custom_op a .cuda or a .reference, or move the tensors "
                       "to the host: x.to(cpu())"
                     : "give custom_op one of them",
       .where = node.where,
       .see = "custom-operations"});
}

}  // namespace detail

SINTER_INLINE Graph resolve_custom(Graph graph, bool on_gpu) {
  if (!detail::has_custom(graph)) return graph;
  for (Node& node : graph.nodes) {
    for (Graph& body : node.bodies) body = resolve_custom(std::move(body), on_gpu);
  }
  return rewrite_nodes(std::move(graph), [&](Builder& builder, const Node& node, NodeId) {
    if (node.op != Op::custom) return Vector<Value>();
    const CustomCode& code = custom_code(node);
    const Graph* const reference = reference_of(node);
    const bool has_kernel = on_gpu ? !code.cuda.empty() : code.call != nullptr;
    if (!has_kernel && reference == nullptr) detail::throw_no_kernel(node, on_gpu);
    if (!has_kernel) {
      return builder.inlined(*reference, Vector<Value>(node.inputs.begin(), node.inputs.end()));
    }
    Node kernel = node;
    kernel.bodies.clear();
    kernel.inputs.resize(custom_operands(node));
    const NodeId id = builder.append(std::move(kernel));
    Vector<Value> results;
    for (std::uint32_t i = 0; i < node.results.size(); ++i) results.push_back({id, i});
    return results;
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
