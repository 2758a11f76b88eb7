#pragma once

#include <sinter/autodiff/gradient/gradient.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/trace/transform/checkpoint.hpp>
#include <sinter/trace/transform/effects.hpp>

namespace sinter::inline SINTER_ABI::detail {

// The gradient of a checkpoint, a function of its arguments, its results, and their gradients.
//
// Common subexpression elimination would merge the recomputation with the first computation and
// keep its values. So the recomputation is in a branch whose condition always holds, but depends on
// an argument, so that no pass can prove it.
class CheckpointGradient {
 public:
  explicit CheckpointGradient(const Graph& forward) : forward_(forward), builder_(graph_) {}

  Graph write() {
    Vector<Value> given = inputs(forward_.inputs), seeds;
    for (const Value output : forward_.outputs) builder_.input(forward_.type(output));
    for (const Value output : forward_.outputs) {
      if (is_floating(forward_.type(output).dtype)) {
        seeds.push_back(builder_.input(forward_.type(output)));
      }
    }
    Node node{.op = Op::cond, .inputs = {holds(given)}};
    for (const Value value : given) node.inputs.push_back(value);
    for (const Value seed : seeds) node.inputs.push_back(seed);
    node.bodies = {gradient(), zeros()};
    const NodeId id = builder_.append(std::move(node));
    for (std::uint32_t i = 0; i < builder_.graph()[id].results.size(); ++i) {
      graph_.outputs.push_back({id, i});
    }
    return std::move(graph_);
  }

 private:
  Vector<Value> inputs(const Vector<NodeId>& like) {
    Vector<Value> result;
    for (const NodeId input : like) result.push_back(builder_.input(forward_.type(input)));
    return result;
  }

  // |x| < 0 is false, even for NaN; x is the first element of an argument, or 0.
  Value holds(const Vector<Value>& given) {
    Value x = given[0];
    for (const Value value : given) {
      if (is_floating(builder_.dtype(value))) x = value;
    }
    const Value flat = builder_.reshape(x, {numel(builder_.shape(x))});
    const Value padded = builder_.pad(flat, {0}, {1}, constant(0));
    const Value first = builder_.reshape(builder_.slice(padded, {0}, {1}, {1}), {});
    const Value size = builder_.elementwise(Op::abs, {builder_.cast(first, f32)});
    const Value is_negative = builder_.elementwise(Op::lt, {size, builder_.constant_like(size, 0)});
    return builder_.elementwise(Op::bitwise_not, {is_negative});
  }

  Graph gradient() const {
    Graph result = forward_;
    Vector<Value> reached, seeds, variables;
    for (const Value output : forward_.outputs) {
      if (!is_floating(forward_.type(output).dtype)) continue;
      reached.push_back(output);
      seeds.push_back(Builder(result).input(forward_.type(output)));
    }
    for (const NodeId input : forward_.inputs) {
      if (is_floating(forward_.type(input).dtype)) variables.push_back(input);
    }
    result.outputs = autodiff::gradient(result, reached, seeds, variables);
    return rewrite(result, {});
  }

  Graph zeros() const {
    Graph result;
    Builder builder(result);
    for (const NodeId input : forward_.inputs) builder.input(forward_.type(input));
    for (const Value output : forward_.outputs) {
      if (is_floating(forward_.type(output).dtype)) builder.input(forward_.type(output));
    }
    for (const NodeId input : forward_.inputs) {
      const TensorType& type = forward_.type(input);
      if (!is_floating(type.dtype)) continue;
      result.outputs.push_back(builder.constant(constant(0), type));
    }
    return result;
  }

  const Graph& forward_;
  Graph graph_{};
  Builder builder_;
};

SINTER_INLINE bool has_floating(const Graph& graph, Span<const Value> values) {
  for (const Value value : values) {
    if (is_floating(graph.type(value).dtype)) return true;
  }
  return false;
}

SINTER_INLINE std::vector<Tensor> record_checkpoint(const std::vector<Tensor>& operands,
                                                    const Body& body, Where where) {
  std::vector<Tensor> captured, inputs = operands;
  const Graph forward = graph_of(body, captured);
  inputs.insert(inputs.end(), captured.begin(), captured.end());
  Node node{.op = Op::call};
  node.bodies.push_back(forward);
  const Vector<Value> given(forward.inputs.begin(), forward.inputs.end());
  if (has_floating(forward, given) && has_floating(forward, forward.outputs)) {
    node.bodies.push_back(CheckpointGradient(without_side_effects(forward)).write());
  }
  std::vector<Tensor> results = record_all(std::move(node), inputs, where);
  keep_side_effects(results[0], {&body}, where);
  call_host_functions(body, operands, where);
  // State that the function assigned, as a norm does, is a value of the arguments from now on.
  for (std::size_t i = 0; i < operands.size(); ++i) {
    body.variables[i].lazy()->stands_for = imported(operands[i], where).lazy();
  }
  return results;
}

}  // namespace sinter::inline SINTER_ABI::detail
