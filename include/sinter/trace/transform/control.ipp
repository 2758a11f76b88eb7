#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/transform/effects.hpp>

namespace sinter::inline SINTER_ABI::detail {

// The error texts of an operation for two tensors whose types must be equal.
struct Likeness {
  std::string_view op, first, second, rule, fix;
};

inline constexpr Likeness branches{
    "cond", "then", "otherwise", "both functions give the same structure, dtypes and shapes",
    "convert or reshape what one of them gives: x.to(f32), expand(x, {n})"};
inline constexpr Likeness loop_state{
    "while_loop", "state", "body gives", "the body gives what it takes: the same dtypes and shapes",
    "give the first state the dtype and shape that the body gives: zeros({n}, f64), x.to(f32)"};
inline constexpr Likeness scan_carry{
    "scan", "carry", "f gives", "f gives {carry, y}, the carry with the dtypes and shapes it has",
    "give the first carry the dtype and shape that f gives: zeros({n}, f64), x.to(f32)"};

SINTER_INLINE Report report_of(const Likeness& words, std::string what, std::string first,
                               std::string second, Where where) {
  return {.op = std::string(words.op),
          .what = std::move(what),
          .facts = {{std::string(words.first), std::move(first)},
                    {std::string(words.second), std::move(second)}},
          .rule = std::string(words.rule),
          .fix = std::string(words.fix),
          .where = where,
          .see = "control-flow"};
}

SINTER_INLINE void require_alike(const Likeness& words, const Tensor& a, const Tensor& b,
                                 Where where) {
  const auto report = [&](std::string what) {
    return report_of(words, std::move(what), to_string(a), to_string(b), where);
  };
  if (a.dtype() != b.dtype()) throw DTypeError(report("dtypes differ"));
  bool is_same = a.ndim() == b.ndim();
  for (int dim = 0; is_same && dim < a.ndim(); ++dim) {
    is_same = equal_sizes(a.size(dim), b.size(dim), where);
  }
  if (!is_same) throw ShapeError(report("shapes differ"));
}

SINTER_INLINE void require_all_alike(const Likeness& words, Span<const Tensor> a,
                                     Span<const Tensor> b, Where where) {
  if (a.size() != b.size()) {
    throw ShapeError(report_of(words, "structures differ", quantity(a.size(), "tensor"),
                               quantity(b.size(), "tensor"), where));
  }
  for (std::size_t i = 0; i < a.size(); ++i) require_alike(words, a[i], b[i], where);
}

SINTER_INLINE void require_results(std::size_t count, std::string_view op, Where where) {
  if (count != 0) return;
  throw ValueError({.op = op,
                    .what = "there is no tensor in what the function gives",
                    .facts = {},
                    .rule = "it gives at least one tensor",
                    .fix = "return what the function computes",
                    .where = where,
                    .see = "control-flow"});
}

SINTER_INLINE Tensor as_predicate(Operand x, std::string_view op) {
  const Tensor value = x.tensor();
  if (!equal_sizes(value.numel(x.where), 1, x.where)) {
    throw ShapeError({.op = op,
                      .what = "the predicate is not one element",
                      .facts = {{"predicate", to_string(value)}},
                      .rule = "the predicate has one element",
                      .fix = "reduce it: all(predicate) or any(predicate); for a choice of each "
                             "element, use where(condition, x, y)",
                      .where = x.where,
                      .see = "control-flow"});
  }
  const Tensor one = reshape({value, x.where}, {});
  return one.dtype() == boolean ? one : ne({one, x.where}, {0, x.where});
}

SINTER_INLINE void add_variables(Body& body, const std::vector<Tensor>& tensors, Where where) {
  for (const Tensor& tensor : tensors) add_variable(body, tensor.type(where), where);
}

SINTER_INLINE void add_step_variables(Body& body, std::vector<Tensor>& xs, std::string_view op,
                                      Where where) {
  bool is_right = !xs.empty();
  for (Tensor& x : xs) {
    is_right = is_right && x.ndim(where) != 0 && equal_sizes(x.size(0), xs[0].size(0), where);
    if (is_right) {
      x = with_extent(x, 0, xs[0].size(0), where);
      add_variable(body, step_type(x.type()), where);
      continue;
    }
    throw ShapeError({.op = op,
                      .what = x.ndim() == 0 ? "xs has no axis" : "sizes along axis 0 differ",
                      .facts = {{"xs", to_string(xs[0])}, {"and", to_string(x)}},
                      .rule = "the tensors of xs have one size along axis 0, the number of steps",
                      .fix = "pass tensors of the same number of steps",
                      .where = where,
                      .see = "control-flow"});
  }
  require_results(xs.size(), op, where);
}

SINTER_INLINE std::vector<Tensor> joined(std::vector<Tensor> first,
                                         const std::vector<Tensor>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

SINTER_INLINE Vector<TensorType> types_of(const Graph& graph, Span<const Value> values) {
  Vector<TensorType> result;
  for (const Value value : values) result.push_back(graph.type(value));
  return result;
}

// The first results of a step are the first inputs of the next one.
SINTER_INLINE Graph graph_of_step(const Body& body, std::vector<Tensor>& captured,
                                  const Tensor* step, std::size_t states) {
  Graph graph = graph_of(body, captured, step);
  Vector<TensorType> types;
  for (std::size_t i = 0; i < states; ++i) types.push_back(graph.type(graph.inputs[i]));
  fit_outputs(graph, types);
  return graph;
}

SINTER_INLINE std::vector<Tensor> record_cond(const Tensor& predicate,
                                              const std::vector<Tensor>& operands, const Body& then,
                                              const Body& otherwise, Where where) {
  require_results(then.results.size(), "cond", where);
  require_all_alike(branches, then.results, otherwise.results, where);
  std::vector<Tensor> captured;
  Graph first = graph_of(then, captured);
  const std::size_t known = captured.size();
  Graph second = graph_of(otherwise, captured);
  fit_outputs(second, types_of(first, first.outputs));
  add_unused_inputs(first, captured, known);
  Node node{.op = Op::cond};
  node.bodies.push_back(std::move(first));
  node.bodies.push_back(std::move(second));
  std::vector<Tensor> results =
      record_all(std::move(node), joined(joined({predicate}, operands), captured), where);
  keep_side_effects(results[0], {&then, &otherwise}, where);
  return results;
}

// Loops that draw random numbers carry a step counter.
SINTER_INLINE bool draws(const Body& body, Span<const Tensor> captured) {
  return !body.results.empty() && any_of(captured, [](const Tensor& tensor) {
    return target_of(tensor.lazy().get())->is_draw_offset;
  });
}

SINTER_INLINE Tensor next_step(const Tensor& step, Where where) {
  return add({step, where}, {std::int64_t{1}, where});
}

SINTER_INLINE std::vector<Tensor> record_while(const std::vector<Tensor>& state,
                                               const Body& predicate, const Body& body,
                                               Where where) {
  require_results(state.size(), "while_loop", where);
  require_all_alike(loop_state, state, body.results, where);
  std::vector<Tensor> captured;
  graph_of(predicate, captured), graph_of(body, captured);
  Body test = predicate, next = body;
  std::vector<Tensor> states = state;
  const bool counts = draws(body, captured);
  if (counts) {
    states.push_back(constant_tensor(constant(std::int64_t{0}), {i64, {}}, where));
    add_variable(test, {i64, {}}, where);
    const BodyScope resumed(next);
    const Tensor step = add_variable(next, {i64, {}}, where);
    next.results.push_back(next_step(step, where));
  }
  captured.clear();
  Graph first = graph_of(test, captured, counts ? &test.variables.back() : nullptr);
  const std::size_t known = captured.size();
  Graph second =
      graph_of_step(next, captured, counts ? &next.variables.back() : nullptr, states.size());
  add_unused_inputs(first, captured, known);
  Node node{.op = Op::while_loop,
            .attributes = {{"states", constant(static_cast<std::int64_t>(states.size()))}}};
  node.bodies.push_back(std::move(first));
  node.bodies.push_back(std::move(second));
  std::vector<Tensor> results = record_all(std::move(node), joined(states, captured), where);
  keep_side_effects(results[0], {&predicate, &body}, where);
  results.resize(state.size());
  return results;
}

SINTER_INLINE std::vector<Tensor> record_scan(const std::vector<Tensor>& carries,
                                              const std::vector<Tensor>& xs, const Body& body,
                                              std::size_t kept, Where where) {
  require_results(body.results.size(), "scan", where);
  require_all_alike(scan_carry, carries, Span(body.results).subspan(0, kept), where);
  std::vector<Tensor> captured, scanned = xs;
  Body step = body;
  for (const Tensor& tensor : host_operands(body)) step.results.push_back(tensor);
  graph_of(step, captured);
  const bool counts = draws(step, captured);
  if (counts) {
    add_variable(step, {i64, {}}, where);
    scanned.push_back(record_all({.op = Op::iota,
                                  .attributes = {{"axis", constant(std::int64_t{0})}},
                                  .results = {{i64, {xs[0].size(0)}}}},
                                 {}, where)[0]);
  }
  captured.clear();
  Node node{.op = Op::scan,
            .attributes = {{"carries", constant(static_cast<std::int64_t>(carries.size()))},
                           {"xs", constant(static_cast<std::int64_t>(scanned.size()))},
                           {"reverse", constant(std::int64_t{0})}}};
  node.bodies.push_back(
      graph_of_step(step, captured, counts ? &step.variables.back() : nullptr, carries.size()));
  std::vector<Tensor> results =
      record_all(std::move(node), joined(joined(carries, scanned), captured), where);
  keep_side_effects(results[0], {&body}, where);
  call_host_functions_of_each(body, results, xs[0].size(0), where);
  results.resize(body.results.size());
  return results;
}

}  // namespace sinter::inline SINTER_ABI::detail
