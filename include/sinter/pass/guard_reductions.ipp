#pragma once

#include <array>    // std::array
#include <limits>   // std::numeric_limits
#include <utility>  // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/pass/guard_reductions.hpp>
#include <sinter/pass/match.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

namespace detail {

// `op` of `x` over the axes of `node`, accumulated in f64.
SINTER_INLINE Value reduced_in_f64(Builder& builder, const Node& node, Value x) {
  const Value wide = builder.reduce(node.op, builder.cast(x, f64), numbers(node, "axes"));
  return builder.cast(wide, builder.dtype(x));
}

// True of select(x == 0, 1, ...).
SINTER_INLINE bool has_no_zeros(const Builder& builder, Value x) {
  const Node& node = maker(builder, x);
  if (node.op != Op::select || !is_number(builder, node.inputs[1], 1)) return false;
  const Node& condition = maker(builder, node.inputs[0]);
  return condition.op == Op::eq && is_number(builder, condition.inputs[1], 0);
}

SINTER_INLINE Vector<Value> guard_prod(Builder& builder, const Node& node) {
  if (node.op != Op::prod || !is_floating(node.results[0].dtype)) return {};
  const Value x = node.inputs[0];
  if (has_no_zeros(builder, x)) return {reduced_in_f64(builder, node, x)};
  const Value is_zero = builder.elementwise(Op::eq, {x, builder.constant_like(x, 0)});
  const Value filled = builder.select(is_zero, builder.constant_like(x, 1), x);
  const Value product = reduced_in_f64(builder, node, filled);
  const Value size = builder.elementwise(Op::abs, {x});
  const Value largest = builder.reduce(Op::max, size, numbers(node, "axes"));
  const Value smallest = builder.reduce(Op::min, size, numbers(node, "axes"));
  const Value zero = builder.constant_like(product, 0);
  const Value infinity = builder.constant_like(product, std::numeric_limits<double>::infinity());
  const Value nan = builder.constant_like(product, std::numeric_limits<double>::quiet_NaN());
  const Value is_finite = builder.elementwise(Op::lt, {largest, infinity});
  const Value has_zero = builder.elementwise(Op::eq, {smallest, zero});
  return {builder.select(has_zero, builder.select(is_finite, zero, nan), product)};
}

SINTER_INLINE Vector<Value> guard_sum_without_nan(Builder& builder, const Node& node) {
  if (node.op != Op::sum || !is_floating(node.results[0].dtype)) return {};
  const Node& chosen = maker(builder, node.inputs[0]);
  if (chosen.op != Op::select || !is_number(builder, chosen.inputs[1], 0)) return {};
  const Node& condition = maker(builder, chosen.inputs[0]);
  const bool leaves_out_nan = condition.op == Op::ne &&
                              condition.inputs[0] == condition.inputs[1] &&
                              condition.inputs[0] == chosen.inputs[2];
  if (!leaves_out_nan) return {};
  return {reduced_in_f64(builder, node, node.inputs[0])};
}

inline constexpr std::array guarding_rules{
    Rule{"prod(x) -> 0 where x has a 0, else prod of f64", guard_prod},
    Rule{"sum without NaN -> sum of f64", guard_sum_without_nan},
};

}  // namespace detail

SINTER_INLINE Graph guard_reductions(Graph graph) {
  return rewrite(std::move(graph), detail::guarding_rules);
}

}  // namespace sinter::inline SINTER_ABI::detail::pass
