#pragma once

#include <utility>  // std::move

#include <sinter/autodiff/batching/batching.hpp>
#include <sinter/autodiff/gradient/gradient.hpp>
#include <sinter/autodiff/gradient_functions.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/extract.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/subgraph/body.hpp>
#include <sinter/trace/subgraph/called_value.hpp>
#include <sinter/trace/subgraph/splice.hpp>
#include <sinter/trace/transform/derivative.hpp>

namespace sinter::inline SINTER_ABI::detail {

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

SINTER_INLINE Differentiation::Differentiation() {
  autodiff::provide_gradient_functions();
  if (active_differentiations()++ == 0) values_with_operands = &evaluated_;
}

// Ends the substitution: each variable stands for its original value again.
SINTER_INLINE Differentiation::~Differentiation() {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    variables_[i].lazy()->is_variable = false;
    variables_[i].lazy()->stands_for = values_[i].lazy();
  }
  if (Recorder* const recorder = current_recorder()) recorder->end_variables(variable_count_);
  if (--active_differentiations() != 0) return;
  release_values_with_operands();
  values_with_operands = nullptr;
}

SINTER_INLINE Tensor Differentiation::variable(const Tensor& tensor, Where where) {
  require_floating_value(tensor, where);
  Recorder* const recorder = current_recorder();
  const Tensor value = imported(tensor, where);
  const TensorType type = value.type();
  LazyRef lazy;
  if (recorder != nullptr || current_body != 0) {
    lazy = make_lazy({.op = Op::input, .results = {type}, .where = where}, {}, 0);
    lazy->follow(*value.lazy());
    if (recorder != nullptr) recorder->adopt(lazy);
  } else {
    lazy = make_evaluated(type, elements_of(value, where));
  }
  lazy->is_variable = true;
  values_.push_back(value);
  variables_.push_back(tensor);  // with the marks of the argument
  variables_.back().set_value(Tensor(std::move(lazy)));
  if (recorder != nullptr) {
    recorder->begin_variable(variables_.back(), value);
    ++variable_count_;
  }
  return variables_.back();
}

SINTER_INLINE std::vector<Tensor> Differentiation::gradients(const Tensor& output, Where where) {
  if (!is_floating(output.dtype(where))) {
    throw GradientError({.op = "grad",
                         .what = text("the function gives ", to_string(output.dtype()),
                                      ", and only floating results have gradients"),
                         .facts = {{"result", to_string(output)}},
                         .rule = "the result is floating and of rank 0",
                         .fix = "differentiate a floating loss: counts, comparisons and argmax "
                                "have no gradient, nor have they after .to(f32)",
                         .where = where,
                         .see = "gradients"});
  }
  if (output.ndim(where) != 0) {
    throw GradientError({.op = "grad",
                         .what = "the function does not give one floating element",
                         .facts = {{"result", to_string(output)}},
                         .rule = "the result is floating and of rank 0",
                         .fix = "reduce it: sum(result) or mean(result)",
                         .where = where,
                         .see = "gradients"});
  }
  const std::vector<Tensor> computed = gradients_of_calls(output, variables_);
  return computed.empty() ? derivative({output}).pull_back({}, where) : computed;
}

SINTER_INLINE Derivative Differentiation::derivative(const std::vector<Tensor>& outputs) const {
  return Derivative(variables_, outputs);
}

SINTER_INLINE Derivative::Derivative(const std::vector<Tensor>& variables,
                                     const std::vector<Tensor>& outputs)
    : batches_(batch_depth()) {
  Extractor extractor(graph_, current_recorder(), Detached::as_inputs);
  for (const Tensor& variable : variables) variables_.push_back(extractor.add_input(variable));
  for (const Tensor& output : outputs) {
    if (is_floating(output.dtype())) outputs_.push_back(extractor.add(output));
  }
  known_.resize(graph_.nodes.size());
  for (const auto& [lazy, id] : extractor.values()) {
    // A single-result value may be one of the results of a node.
    if (lazy->node.results.size() != graph_[id.node].results.size()) continue;
    known_[id.node] = Tensor(reference_to(*lazy));
  }
}

// An input of the type of `like`, which is `value`.
SINTER_INLINE Value add_known(Graph& graph, std::vector<Tensor>& known, Value like, Tensor value) {
  const Value result = Builder(graph).input(graph.type(like));
  known.resize(graph.nodes.size());
  known[result.node] = std::move(value);
  return result;
}

// One value for each of `like`, on the same device: zeros have no operands that determine it.
SINTER_INLINE std::vector<Tensor> Derivative::placed(std::vector<Tensor> values,
                                                     const Vector<Value>& like) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Tensor& known = known_[like[i].node];
    if (known.defined()) follow(values[i], known);
  }
  return values;
}

// The samples of a batch that began after the function ran share its random draws.
SINTER_INLINE Graph Derivative::drawn_before(Graph graph) const {
  const int batches = batch_depth() - batches_;
  return batches > 0 ? autodiff::with_shared_draws(std::move(graph), batches) : graph;
}

SINTER_INLINE std::vector<Tensor> Derivative::pull_back(const std::vector<Tensor>& seeds,
                                                        Where where) const {
  Graph graph = graph_;
  std::vector<Tensor> known = known_;
  if (seeds.empty() && outputs_.size() == 1) {
    const Vector<Value> found = autodiff::gradient(graph, outputs_[0], variables_);
    return placed(splice(drawn_before(std::move(graph)), std::move(known), found, where),
                  variables_);
  }
  Vector<Value> given;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    given.push_back(add_known(graph, known, outputs_[i], imported(seeds[i], where)));
  }
  const Vector<Value> found = autodiff::gradient(graph, outputs_, given, variables_);
  return placed(splice(drawn_before(std::move(graph)), std::move(known), found, where), variables_);
}

// Double backward: the gradients are linear in the seeds, and the derivative of gradients *
// tangents with respect to the seeds is the derivative of the outputs along the tangents, for any
// seeds.
SINTER_INLINE std::vector<Tensor> Derivative::push_forward(const std::vector<Tensor>& tangents,
                                                           Where where) const {
  Graph graph = graph_;
  std::vector<Tensor> known = known_;
  Vector<Value> seeds, along;
  for (const Value output : outputs_) {
    const TensorType& type = graph.type(output);
    seeds.push_back(
        add_known(graph, known, output, constant_tensor(constant(0, type.dtype), type, where)));
  }
  const Vector<Value> gradients = autodiff::gradient(graph, outputs_, seeds, variables_);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    along.push_back(add_known(graph, known, variables_[i], imported(tangents[i], where)));
  }
  const Vector<Value> found = autodiff::gradient(graph, gradients, along, seeds);
  return placed(splice(drawn_before(std::move(graph)), std::move(known), found, where), outputs_);
}

}  // namespace sinter::inline SINTER_ABI::detail
