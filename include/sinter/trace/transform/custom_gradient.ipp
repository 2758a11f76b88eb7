#pragma once

#include <algorithm>  // std::rotate

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/transform/custom_gradient.hpp>
#include <sinter/trace/transform/effects.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE std::vector<Tensor> add_result_variables(Body& backward, const Body& forward,
                                                       Where where) {
  std::vector<Tensor> result;
  for (const Tensor& value : forward.results) {
    result.push_back(add_variable(backward, value.type(where), where));
  }
  return result;
}

SINTER_INLINE std::vector<Tensor> add_gradient_variables(Body& backward, const Body& forward,
                                                         Where where) {
  std::vector<Tensor> result;
  for (const Tensor& value : forward.results) {
    const TensorType& type = value.type(where);
    result.push_back(is_floating(type.dtype)
                         ? add_variable(backward, type, where)
                         : constant_tensor(constant(0, type.dtype), type, where));
  }
  return result;
}

SINTER_INLINE Report gradient_report(std::string what, std::string given, std::string expected,
                                     Where where) {
  return {.op = "custom_gradient",
          .what = std::move(what),
          .facts = {{"backward gives", std::move(given)}, {"argument", std::move(expected)}},
          .rule =
              "backward(x..., y..., g...) gives a gradient for each floating tensor in x..., "
              "of its dtype and shape",
          .fix = "return one tensor, or a tuple of them, in the order of the arguments",
          .where = where,
          .see = "gradients"};
}

SINTER_INLINE void require_gradients(const std::vector<Tensor>& given,
                                     const std::vector<Tensor>& operands, Where where) {
  std::size_t next = 0;
  for (const Tensor& x : operands) {
    if (!is_floating(x.dtype())) continue;
    if (next == given.size()) break;
    const Tensor& g = given[next++];
    if (g.dtype() != x.dtype()) {
      throw DTypeError(gradient_report("dtypes differ", to_string(g), to_string(x), where));
    }
    bool is_same = g.ndim() == x.ndim();
    for (int axis = 0; is_same && axis < x.ndim(); ++axis) {
      is_same = equal_sizes(g.size(axis), x.size(axis), where);
    }
    if (!is_same) {
      throw ShapeError(gradient_report("shapes differ", to_string(g), to_string(x), where));
    }
  }
  std::size_t floating = 0;
  for (const Tensor& x : operands) floating += is_floating(x.dtype());
  if (floating == given.size()) return;
  throw ShapeError(gradient_report("the number of gradients is wrong",
                                   quantity(given.size(), "tensor"),
                                   quantity(floating, "floating tensor"), where));
}

SINTER_INLINE Vector<TensorType> floating_inputs(const Graph& graph, std::size_t count) {
  Vector<TensorType> result;
  for (std::size_t i = 0; i < count; ++i) {
    const TensorType& type = graph.type(graph.inputs[i]);
    if (is_floating(type.dtype)) result.push_back(type);
  }
  return result;
}

// Captures come after the arguments, before the results and their gradients, and have gradient 0.
SINTER_INLINE void place_captured(Graph& backward, Span<const Tensor> captured,
                                  std::size_t operands) {
  auto& inputs = backward.inputs;
  const auto count = static_cast<std::ptrdiff_t>(captured.size());
  const auto begin = inputs.begin() + static_cast<std::ptrdiff_t>(operands);
  std::rotate(begin, inputs.end() - count, inputs.end());
  Builder builder(backward);
  for (std::size_t i = 0; i < captured.size(); ++i) {
    if (!is_floating(captured[i].dtype())) continue;
    const Value input = inputs[operands + i];
    backward.outputs.push_back(builder.constant_like(input, 0));
  }
}

SINTER_INLINE Graph gradient_graph_of(const Body& backward, const std::vector<Tensor>& operands,
                                      std::vector<Tensor>& captured) {
  Graph result = graph_of(backward, captured);
  fit_outputs(result, floating_inputs(result, operands.size()));
  place_captured(result, captured, operands.size());
  return result;
}

SINTER_INLINE std::vector<Tensor> record_call(const std::vector<Tensor>& operands,
                                              const Body& forward, const Body& backward,
                                              Where where) {
  require_gradients(backward.results, operands, where);
  std::vector<Tensor> captured, inputs = operands;
  Graph body = graph_of(forward, captured);
  const std::size_t known = captured.size();
  Graph gradient = gradient_graph_of(backward, operands, captured);
  add_unused_inputs(body, captured, known);
  inputs.insert(inputs.end(), captured.begin(), captured.end());
  Node node{.op = Op::call};
  node.bodies.push_back(std::move(body));
  node.bodies.push_back(std::move(gradient));
  std::vector<Tensor> results = record_all(std::move(node), inputs, where);
  keep_side_effects(results[0], {&forward}, where);
  call_host_functions(forward, operands, where);
  return results;
}

}  // namespace sinter::inline SINTER_ABI::detail
