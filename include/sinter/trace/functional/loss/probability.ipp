#pragma once

#include <cmath>    // std::log
#include <numbers>  // std::numbers::pi

#include <sinter/graph/builder.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/functional/loss/probability.hpp>
#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/window.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// log(x) clamped at -100, so that the loss is finite.
SINTER_INLINE Value limited_log(Builder& build, Value x) {
  return build.elementwise(Op::maximum,
                           {build.elementwise(Op::log, {x}), build.constant_like(x, -100)});
}

SINTER_INLINE Value one_minus(Builder& build, Value x) {
  return build.sub(build.constant_like(x, 1), x);
}

SINTER_INLINE Graph cross_entropy_forward(const TensorType& type) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input(type), target = build.input(type);
  const Value yes = build.mul(target, limited_log(build, x));
  const Value no = build.mul(one_minus(build, target), limited_log(build, one_minus(build, x)));
  graph.outputs = {build.neg(build.add(yes, no))};
  return graph;
}

// Where x is 0 or 1, the gradient of log would give infinity * 0. The limit is a float, like
// torch's.
SINTER_INLINE Graph cross_entropy_backward(const TensorType& type) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input(type), target = build.input(type);
  build.input(type);  // the loss, unused
  const Value gradient = build.input(type);
  const Value spread = build.mul(x, one_minus(build, x));
  const Value divisor = build.elementwise(Op::maximum, {spread, build.constant_like(x, 1e-12f)});
  const Value slope = build.div(build.sub(x, target), divisor);
  const Value odds = build.sub(limited_log(build, one_minus(build, x)), limited_log(build, x));
  graph.outputs = {build.mul(gradient, slope), build.mul(gradient, odds)};
  return graph;
}

SINTER_INLINE Tensor weighted(const Tensor& loss, const Tensor& weight, Where where) {
  return weight.defined() ? mul({loss, where}, as_wide({weight, where})) : loss;
}

// log(sigmoid(x)) as -(max(-x, 0) + log(1 + exp(-|x|))), written with select, which has second
// derivatives at 0.
SINTER_INLINE Tensor log_of_sigmoid(const Operand& x) {
  const Where at = x.where;
  const Operand below(lt(x, {0, at}), at), minus(neg(x), at);
  const Tensor decay = exp({where(below, x, minus), at});
  return sub({where(below, x, {0, at}), at}, {log1p({decay, at}), at});
}

}  // namespace detail

SINTER_INLINE Tensor binary_cross_entropy(Operand x, Operand target,
                                          BinaryCrossEntropyOptions options) {
  const detail::PublicCall call("binary_cross_entropy", x.where);
  const Where at = x.where;
  detail::require_equal_shapes(x, target, "binary_cross_entropy");
  if (options.pos_weight.defined()) {
    throw ValueError({.op = "binary_cross_entropy",
                      .what = "a loss of probabilities has no pos_weight",
                      .facts = {{"pos_weight", to_string(options.pos_weight)}},
                      .rule = "pos_weight is for logits",
                      .fix = "use binary_cross_entropy_with_logits",
                      .where = at});
  }
  const Operand wide = detail::as_wide(x), goal = detail::as_wide(target);
  const DType dtype = detail::promote(wide.type(), goal.type()).dtype;
  const Tensor first = detail::convert(wide, {dtype, wide.shape()}, at);
  const Tensor second = detail::convert(goal, first.type(), at);
  const detail::TensorType type{dtype, detail::resolved(first.shape())};
  detail::Node node{.op = detail::Op::call};
  node.bodies.push_back(detail::cross_entropy_forward(type));
  node.bodies.push_back(detail::cross_entropy_backward(type));
  const Tensor loss = detail::record(std::move(node), {first, second}, at);
  return detail::reduce_loss(detail::weighted(loss, options.weight, at), options.reduction, x,
                             "binary_cross_entropy");
}

SINTER_INLINE Tensor binary_cross_entropy_with_logits(Operand logits, Operand target,
                                                      BinaryCrossEntropyOptions options) {
  const detail::PublicCall call("binary_cross_entropy_with_logits", logits.where);
  const Where at = logits.where;
  detail::require_equal_shapes(logits, target, "binary_cross_entropy_with_logits");
  const Operand wide = detail::as_wide(logits), goal = detail::as_wide(target);
  const Tensor no = mul({sub({1, at}, goal), at}, wide);
  Tensor sure = detail::log_of_sigmoid(wide);
  if (options.pos_weight.defined()) {
    const Tensor more = sub(detail::as_wide({options.pos_weight, at}), {1, at});
    const Tensor factor = add({mul({more, at}, goal), at}, {1, at});
    sure = mul({sure, at}, {factor, at});
  }
  const Tensor loss = sub({no, at}, {sure, at});
  return detail::reduce_loss(detail::weighted(loss, options.weight, at), options.reduction, logits,
                             "binary_cross_entropy_with_logits");
}

SINTER_INLINE Tensor poisson_nll_loss(Operand x, Operand target, PoissonOptions options) {
  const detail::PublicCall call("poisson_nll_loss", x.where);
  const Where at = x.where;
  detail::require_broadcast("poisson_nll_loss", x, target);
  const Operand wide = detail::as_wide(x), goal = detail::as_wide({target.tensor(), at});
  Tensor loss;
  if (options.log_input) {
    loss = sub({exp(wide), at}, {mul(goal, wide), at});
  } else {
    const Tensor rate = log({add(wide, {options.eps, at}), at});
    loss = sub(wide, {mul(goal, {rate, at}), at});
  }
  if (options.full) {  // log(n!) is about n log(n) - n + log(2 pi n) / 2
    const Operand is_many(gt(goal, {1, at}), at);
    const Operand many(where(is_many, goal, {1, at}), at);
    const Tensor powers = sub({mul(many, {log(many), at}), at}, many);
    const Tensor circle = log({mul(many, {2 * std::numbers::pi, at}), at});
    const Tensor stirling = add({powers, at}, {mul({circle, at}, {0.5, at}), at});
    loss = add({loss, at}, {where(is_many, {stirling, at}, {0, at}), at});
  }
  return detail::reduce_loss(loss, options.reduction, x, "poisson_nll_loss");
}

SINTER_INLINE Tensor gaussian_nll_loss(Operand x, Operand target, Operand var,
                                       GaussianOptions options) {
  const detail::PublicCall call("gaussian_nll_loss", x.where);
  const Where at = x.where;
  detail::require_broadcast("gaussian_nll_loss", x, target);
  const Operand wide = detail::as_wide(x), goal = detail::as_wide({target.tensor(), at});
  Operand spread = detail::as_wide({var.tensor(), at});
  if (spread.shape().size() + 1 == wide.shape().size()) spread = {unsqueeze(spread, -1), at};
  // A variance below the limit is replaced by the limit, but still gets a gradient.
  const Tensor missing = sub({maximum(spread, {options.eps, at}), at}, spread);
  const Operand limited(add(spread, {detach({missing, at}), at}), at);
  const Tensor distance = square({sub(wide, goal), at});
  Tensor loss = add({log(limited), at}, {div({distance, at}, limited), at});
  loss = mul({loss, at}, {0.5, at});
  if (options.full) loss = add({loss, at}, {0.5 * std::log(2 * std::numbers::pi), at});
  return detail::reduce_loss(loss, options.reduction, x, "gaussian_nll_loss");
}

}  // namespace sinter::inline SINTER_ABI
