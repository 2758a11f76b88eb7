#pragma once

#include <sinter/autodiff/gradient.hpp>
#include <sinter/trace/body.hpp>
#include <sinter/trace/create.hpp>
#include <sinter/trace/extract.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/transform.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE Tensor detach(Operand x) {
  const Tensor value = x.tensor();
  const TensorType type = value.type(x.where);
  LazyRef lazy = make_lazy({.op = Op::input, .results = {type}, .where = x.where}, {}, 0);
  lazy->stands_for = value.lazy();
  lazy->is_detached = true;
  if (Recorder* const recorder = current_recorder()) recorder->adopt(lazy);
  return Tensor(std::move(lazy));
}

namespace detail {

SINTER_INLINE void require_floating_value(const Tensor& value, Where where) {
  if (is_floating(value.dtype(where))) return;
  throw GradientError({.op = "grad",
                       .what = "the argument is not floating",
                       .facts = {{"argument", to_string(value)}},
                       .rule = "gradients are of f16, bf16, f32 or f64",
                       .fix = "cast it: x.to(f32)",
                       .where = where,
                       .see = "gradients"});
}

// Which nodes of `graph` are needed by those from `first` on and are not known: these as well.
SINTER_INLINE std::vector<bool> needed_by(const Graph& graph, const std::vector<Tensor>& known,
                                          NodeId first) {
  std::vector<bool> result(graph.nodes.size());
  for (NodeId id = static_cast<NodeId>(graph.nodes.size()); id-- > 0;) {
    result[id] = (result[id] || id >= first) && !known[id].defined();
    if (!result[id]) continue;
    for (const Value input : graph[id].inputs) result[input.node] = true;
  }
  return result;
}

// The nodes of `graph` from `first` on, as values of the program; `known` are some of those before,
// all but the inner ones of expressions.
SINTER_INLINE void splice(const Graph& graph, std::vector<Tensor>& known, NodeId first) {
  Recorder* const recorder = current_recorder();
  known.resize(graph.nodes.size());
  const std::vector<bool> needed = needed_by(graph, known, first);
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (!needed[id]) continue;
    Node node = graph[id];
    std::vector<LazyValue> operands;
    for (Value input : node.inputs) operands.push_back({known[input.node].lazy(), input.result});
    node.inputs.clear();
    LazyRef lazy = make_lazy(std::move(node), std::move(operands), 0);
    if (recorder != nullptr) recorder->adopt(lazy);
    known[id] = Tensor(std::move(lazy));
  }
}

SINTER_INLINE Differentiation::Differentiation() { ++active_differentiations(); }

// From now on each variable is the value that it was put in place of.
SINTER_INLINE Differentiation::~Differentiation() {
  --active_differentiations();
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    variables_[i].lazy()->stands_for = values_[i].lazy();
  }
  if (Recorder* const recorder = current_recorder()) recorder->end_variables(begun_);
}

SINTER_INLINE Tensor Differentiation::variable(const Tensor& tensor, Where where) {
  require_floating_value(tensor, where);
  Recorder* const recorder = current_recorder();
  const Tensor value = imported(tensor, where);
  const TensorType type = value.type();
  LazyRef lazy;
  if (recorder != nullptr || current_body != 0) {
    lazy = make_lazy({.op = Op::input, .results = {type}, .where = where}, {}, 0);
    if (recorder != nullptr) recorder->adopt(lazy);
  } else {
    lazy = make_evaluated(type, elements_of(value, where));
  }
  values_.push_back(value);
  variables_.emplace_back(std::move(lazy));
  if (recorder != nullptr) {
    recorder->begin_variable(variables_.back(), value);
    ++begun_;
  }
  return variables_.back();
}

SINTER_INLINE std::vector<Tensor> Differentiation::gradients(const Tensor& output, Where where) {
  const bool is_scalar = output.ndim(where) == 0 && is_floating(output.dtype());
  if (!is_scalar) {
    throw GradientError({.op = "grad",
                         .what = "the function does not give one floating element",
                         .facts = {{"result", to_string(output)}},
                         .rule = "the result is floating and of rank 0",
                         .fix = "reduce it: sum(result) or mean(result)",
                         .where = where,
                         .see = "gradients"});
  }
  Graph graph;
  std::vector<Value> with_respect_to;
  Extractor extractor(graph, current_recorder(), Detached::as_inputs);
  for (const Tensor& variable : variables_) {
    with_respect_to.push_back(extractor.add_input(variable));
  }
  const Value value = extractor.add(output);
  std::vector<Tensor> known(graph.nodes.size());
  for (const auto& [lazy, id] : extractor.values()) {
    // A value with one result may be one of several of a node.
    if (lazy->node.results.size() != graph[id.node].results.size()) continue;
    known[id.node] = Tensor(reference_to(*lazy));
  }
  const auto count = static_cast<NodeId>(graph.nodes.size());
  const std::vector<Value> found = autodiff::gradient(graph, value, with_respect_to);
  splice(graph, known, count);
  std::vector<Tensor> result;
  for (Value gradient : found) {
    result.push_back(result_of(known[gradient.node].lazy(), gradient.result, where));
  }
  return result;
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
