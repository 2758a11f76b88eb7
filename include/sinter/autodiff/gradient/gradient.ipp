#pragma once

#include <algorithm>  // std::max

#include <sinter/autodiff/gradient/backward.hpp>
#include <sinter/autodiff/gradient/gradient.hpp>
#include <sinter/autodiff/gradient/rules.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/print.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

namespace detail {

class ReverseSweep {
 public:
  ReverseSweep(Graph& graph, Span<const Value> outputs, Span<const Value> with_respect_to)
      : graph_(graph), builder_(graph) {
    for (const Value output : outputs) end_ = std::max(end_, output.node + 1);
    varies_.resize(end_), gradients_.resize(end_);
    for (NodeId id = 0; id < end_; ++id) {
      varies_[id].resize(graph_[id].results.size());
      gradients_[id].resize(graph_[id].results.size());
    }
    for (Value value : with_respect_to) {
      if (value.node < end_) varies_[value.node][value.result] = is_floating(type(value));
    }
    for (NodeId id = 0; id < end_; ++id) find_varying(id);
  }

  void start(Value output, Optional<Value> seed) {
    at(output.node);
    if (!varies(output)) return;
    flow(output, seed ? *seed : builder_.constant_like(output, 1));
  }

  void run() {
    for (NodeId id = end_; id-- > 0;) differentiate(id);
  }

  /// The gradient accumulated for `value`, or 0.
  Value gradient(Value value) {
    const bool reached = value.node < gradients_.size() && varies(value);
    const auto flowed = reached ? gradients_[value.node][value.result] : std::nullopt;
    return flowed ? *flowed : builder_.constant_like(value, 0);
  }

 private:
  DType type(Value value) const { return graph_.type(value).dtype; }
  bool varies(Value value) const { return varies_[value.node][value.result]; }
  void at(NodeId id) { builder_.at(graph_[id]); }

  // Results vary with what is differentiated for if an input does and the operation lets it flow.
  void find_varying(NodeId id) {
    const Node& node = graph_[id];
    if (gradient_rule(node.op).apply == nullptr || is_detached(node)) return;
    bool input_varies = false;
    for (Value input : node.inputs) input_varies |= varies(input);
    if (!input_varies) return;
    for (std::uint32_t i = 0; i < node.results.size(); ++i) {
      if (is_floating(node.results[i].dtype)) varies_[id][i] = true;
    }
  }

  // Rules write shapes as those of the other operands, which equal those of `to` by assumptions of
  // the program and may not be provably equal: reshapes to the type of `to`.
  void flow(Value to, Value gradient) {
    const Shape shape = graph_.type(to).shape;
    if (!same(builder_.shape(gradient), shape)) gradient = builder_.reshape(gradient, shape);
    auto& sum = gradients_[to.node][to.result];
    sum = sum ? builder_.add(*sum, gradient) : gradient;
  }

  // All that reads the results of a node comes after it, so their gradients are complete.
  void differentiate(NodeId id) {
    const GradientFunction rule = gradient_rule(graph_[id].op).apply;
    bool reached = false;
    for (const auto& gradient : gradients_[id]) reached |= gradient.has_value();
    if (!reached || rule == nullptr) return;
    at(id);
    const Node node = graph_[id];
    Vector<Value> gradients;
    for (std::uint32_t i = 0; i < node.results.size(); ++i) gradients.push_back(gradient({id, i}));
    Vector<bool> wanted;
    for (Value input : node.inputs) wanted.push_back(varies(input));
    Vector<Value> all;
    const Backward step{builder_, node, id, gradients, wanted, &all};
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (!wanted[i]) continue;
      Value gradient = rule(step, i);
      if (rule_probe != nullptr) {
        gradient = rule_probe->differentiated(builder_, node, i, gradient);
      }
      flow(node.inputs[i], gradient);
    }
  }

  Graph& graph_;
  Builder builder_;
  NodeId end_ = 0;                         // one past the last node that an output needs
  Vector<Vector<bool>> varies_;            // varies_[id][result]
  Vector<Vector<Optional<Value>>> gradients_;  // of the same layout
};

SINTER_INLINE void require_seed(const Graph& graph, Value output, Value seed) {
  if (same(graph.type(seed), graph.type(output))) return;
  throw InternalError(
      text("gradient of ", graph.type(output), " with a seed of ", graph.type(seed)));
}

SINTER_INLINE Vector<Value> results(ReverseSweep& sweep, Span<const Value> values) {
  sweep.run();
  Vector<Value> result;
  for (Value value : values) result.push_back(sweep.gradient(value));
  return result;
}

}  // namespace detail

SINTER_INLINE Vector<Value> gradient(Graph& graph, Value output, Span<const Value> with_respect_to,
                                     Optional<Value> seed) {
  if (seed) detail::require_seed(graph, output, *seed);
  detail::ReverseSweep sweep(graph, {&output, 1}, with_respect_to);
  sweep.start(output, seed);
  return detail::results(sweep, with_respect_to);
}

SINTER_INLINE Vector<Value> gradient(Graph& graph, Span<const Value> outputs,
                                     Span<const Value> seeds, Span<const Value> with_respect_to) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    detail::require_seed(graph, outputs[i], seeds[i]);
  }
  detail::ReverseSweep sweep(graph, outputs, with_respect_to);
  for (std::size_t i = 0; i < outputs.size(); ++i) sweep.start(outputs[i], seeds[i]);
  return detail::results(sweep, with_respect_to);
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
