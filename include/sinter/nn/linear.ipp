#pragma once

#include <sinter/nn/linear.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

SINTER_INLINE void require_inputs(const Operand& x, const Tensor& weight) {
  const Shape shape = x.shape();
  if (!shape.empty() && sinter::detail::equal_sizes(shape[-1], weight.size(-1, x.where), x.where))
    return;
  std::vector<std::pair<std::string, std::string>> facts{{"x", to_string(x)},
                                                         {"weight", to_string(weight)}};
  sinter::detail::add_module(facts);
  throw ShapeError({.op = "linear",
                    .what = "the input does not fit the weight",
                    .facts = std::move(facts),
                    .rule = "x is (..., in) and weight is (out, in)",
                    .fix = "the last axis of x has to be as long as a row of the weight",
                    .where = x.where,
                    .see = "matmul"});
}

}  // namespace detail

SINTER_INLINE Linear::Linear(std::int64_t in, std::int64_t out, LinearOptions options, Where where)
    : weight(uniform_by_inputs({out, in}, in, where)) {
  if (options.bias) bias = uniform_by_inputs({out}, in, where);
}

SINTER_INLINE Tensor Linear::forward(Operand x) const {
  const Where at = x.where;
  detail::require_inputs(x, weight);
  return bias ? linear(x, {weight, at}, {*bias, at}) : linear(x, {weight, at});
}

}  // namespace sinter::inline SINTER_ABI::nn
