#pragma once

#include <utility>  // std::move

#include <sinter/graph/builder.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/jit/eager/custom_text.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/jit/state/variant.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// `node` alone, for operands of these types.
SINTER_INLINE Graph graph_of_custom(Node node, Span<const TensorType> inputs,
                                    FunctionRef<std::int64_t(Extent symbol)> size) {
  Graph graph;
  Builder builder(graph);
  node.bodies.clear();
  node.inputs.clear();
  const std::size_t operands = custom_operands(node);
  for (const TensorType& type : inputs.subspan(0, operands)) {
    node.inputs.push_back(builder.input(type));
  }
  for (TensorType& type : node.results) {
    Shape shape;
    for (const Extent& extent : type.shape) shape.push_back(evaluate(extent, size));
    type.shape = shape;
  }
  const NodeId id = builder.append(std::move(node));
  for (std::uint32_t i = 0; i < graph[id].results.size(); ++i) graph.outputs.push_back({id, i});
  return graph;
}

}  // namespace detail

SINTER_INLINE Vector<Storage> evaluate_custom_text(const Node& node, Span<const TensorType> inputs,
                                                   Span<const Storage> memory,
                                                   FunctionRef<std::int64_t(Extent symbol)> size) {
  const Graph graph = detail::graph_of_custom(node, inputs, size);
  LoweredProgram lowered = lower(graph, {});
  if (lowered.program->is_interpreted()) {
    throw ValueError({.op = custom_code(node).name,
                      .what = "the text of a custom operation cannot be compiled",
                      .facts = {},
                      .rule = "without a C++ compiler .call or .reference computes it",
                      .fix = "install g++ or clang++, or give custom_op one of them",
                      .where = node.where,
                      .see = "custom-operations"});
  }
  const Runnable runnable =
      runnable_of(graph, {}, std::move(lowered.program), std::move(lowered.symbols));
  CallMemory call;
  call.where = node.where;
  call.is_expression = true;
  for (const Storage& input : memory.subspan(0, graph.inputs.size())) {
    call.inputs.push_back(input.data());
    call.packed_from.push_back(&input);
  }
  run(runnable, {}, {}, call);
  return std::move(call.owned);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
