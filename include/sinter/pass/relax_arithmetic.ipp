#pragma once

#include <array>    // std::array
#include <cfloat>   // FLT_MAX
#include <cmath>    // std::abs
#include <utility>  // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/pass/match.hpp>
#include <sinter/pass/relax_arithmetic.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

namespace detail {

// x * number, if `number` is an ordinary one in a dtype that is precise enough.
SINTER_INLINE Vector<Value> scaled(Builder& builder, Value x, double number) {
  const DType dtype = builder.dtype(x);
  const double size = std::abs(number);
  const bool fits = (dtype == f32 && size >= FLT_MIN && size <= FLT_MAX) ||
                    (dtype == f64 && size >= DBL_MIN && size <= DBL_MAX);
  if (!fits) return {};
  return {builder.mul(x, builder.constant_like(x, number))};
}

SINTER_INLINE Vector<Value> divide_by_constant(Builder& builder, const Node& node) {
  const auto divisor = node.op == Op::div ? number_of(builder, node.inputs[1]) : std::nullopt;
  if (!divisor) return {};
  return scaled(builder, node.inputs[0], 1 / divisor->floating());
}

SINTER_INLINE Vector<Value> multiply_twice(Builder& builder, const Node& node) {
  const auto outer = node.op == Op::mul ? number_of(builder, node.inputs[1]) : std::nullopt;
  const auto x = outer ? input_of(builder, node.inputs[0], Op::mul) : std::nullopt;
  if (!x) return {};
  const auto inner = number_of(builder, maker(builder, node.inputs[0]).inputs[1]);
  if (!inner) return {};
  return scaled(builder, *x, inner->floating() * outer->floating());
}

SINTER_INLINE Vector<Value> add_zero(Builder& builder, const Node& node) {
  const bool adds = node.op == Op::add && is_number(builder, node.inputs[1], 0);
  return adds ? Vector{node.inputs[0]} : Vector<Value>{};
}

SINTER_INLINE Vector<Value> neg_of_sub(Builder& builder, const Node& node) {
  const auto x = node.op == Op::neg ? input_of(builder, node.inputs[0], Op::sub) : std::nullopt;
  if (!x) return {};
  return {builder.sub(maker(builder, node.inputs[0]).inputs[1], *x)};
}

SINTER_INLINE Vector<Value> small_power(Builder& builder, const Node& node) {
  if (node.op != Op::pow) return {};
  const Value x = node.inputs[0], y = node.inputs[1];
  if (is_number(builder, y, 2)) return {builder.mul(x, x)};
  if (is_number(builder, y, -1)) return {builder.div(builder.constant_like(x, 1), x)};
  return {};
}

inline constexpr std::array relaxed_rules{
    Rule{"x / c -> x * (1 / c)", divide_by_constant},
    Rule{"x * a * b -> x * (a * b)", multiply_twice},
    Rule{"x + 0 -> x", add_zero},
    Rule{"-(x - y) -> y - x", neg_of_sub},
    Rule{"pow(x, 2) -> x * x", small_power},
};

}  // namespace detail

SINTER_INLINE Graph relax_arithmetic(Graph graph) {
  return rewrite(std::move(graph), detail::relaxed_rules);
}

}  // namespace sinter::inline SINTER_ABI::detail::pass
