#pragma once

#include <array>    // std::array
#include <utility>  // std::move

#include <sinter/autodiff/gradient/elementwise_rules.hpp>
#include <sinter/autodiff/gradient/op_order.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

// The rules, by the names of the operations.
namespace gradient_of {

SINTER_INLINE Value cast(const Backward& at, std::size_t) {
  const Value gradient = at.gradient();
  const TensorType& type = at.type(0);
  const bool is_written =
      is_written_cast(at.node) || is_written_cast(at.builder.graph()[at.input(0).node]);
  if (!is_written || at.builder.dtype(gradient) == type.dtype) {
    return at.builder.cast(gradient, type.dtype);
  }
  // What a cast that the program asks for gives, or reads, is rounded; so is its gradient.
  Node node{.op = Op::cast, .inputs = {gradient}, .attributes = {{"written", constant(true)}}};
  node.results = {type};
  return at.builder.append(std::move(node));
}

SINTER_INLINE Value neg(const Backward& at, std::size_t) { return at.builder.neg(at.gradient()); }

// 0 at 0.
SINTER_INLINE Value abs(const Backward& at, std::size_t) {
  return at.builder.mul(at.gradient(), at.builder.elementwise(Op::sign, {at.input(0)}));
}

SINTER_INLINE Value exp(const Backward& at, std::size_t) {
  return at.builder.mul(at.gradient(), at.result());
}

// The result + 1 would have no digits left where x is far below 0.
SINTER_INLINE Value expm1(const Backward& at, std::size_t) {
  return at.builder.mul(at.gradient(), at.builder.elementwise(Op::exp, {at.input(0)}));
}

SINTER_INLINE Value log(const Backward& at, std::size_t) {
  return at.builder.div(at.gradient(), at.input(0));
}

SINTER_INLINE Value log1p(const Backward& at, std::size_t) {
  Builder& build = at.builder;
  const Value x = at.input(0);
  return build.div(at.gradient(), build.add(x, build.constant_like(x, 1)));
}

SINTER_INLINE Value sin(const Backward& at, std::size_t) {
  return at.builder.mul(at.gradient(), at.builder.elementwise(Op::cos, {at.input(0)}));
}

SINTER_INLINE Value cos(const Backward& at, std::size_t) {
  Builder& build = at.builder;
  return build.neg(build.mul(at.gradient(), build.elementwise(Op::sin, {at.input(0)})));
}

SINTER_INLINE Value tan(const Backward& at, std::size_t) {
  Builder& build = at.builder;
  const Value one = build.constant_like(at.result(), 1);
  return build.mul(at.gradient(), build.add(build.mul(at.result(), at.result()), one));
}

SINTER_INLINE Value tanh(const Backward& at, std::size_t) {
  Builder& build = at.builder;
  const Value one = build.constant_like(at.result(), 1);
  return build.mul(at.gradient(), build.sub(one, build.mul(at.result(), at.result())));
}

SINTER_INLINE Value atan(const Backward& at, std::size_t) {
  Builder& build = at.builder;
  const Value x = at.input(0);
  return build.div(at.gradient(), build.add(build.mul(x, x), build.constant_like(x, 1)));
}

SINTER_INLINE Value erf(const Backward& at, std::size_t) {
  Builder& build = at.builder;
  constexpr double two_over_root_pi = 1.12837916709551257390;
  const Value x = at.input(0);
  const Value bell = build.elementwise(Op::exp, {build.neg(build.mul(x, x))});
  return build.mul(at.gradient(), build.mul(bell, build.constant_like(x, two_over_root_pi)));
}

// Infinite at 0.
SINTER_INLINE Value sqrt(const Backward& at, std::size_t) {
  Builder& build = at.builder;
  return build.div(at.gradient(), build.mul(build.constant_like(at.result(), 2), at.result()));
}

SINTER_INLINE Value add(const Backward& at, std::size_t) { return at.gradient(); }

SINTER_INLINE Value sub(const Backward& at, std::size_t input) {
  return input == 0 ? at.gradient() : at.builder.neg(at.gradient());
}

SINTER_INLINE Value mul(const Backward& at, std::size_t input) {
  return at.builder.mul(at.gradient(), at.input(1 - input));
}

SINTER_INLINE Value div(const Backward& at, std::size_t input) {
  Builder& build = at.builder;
  if (input == 0) return build.div(at.gradient(), at.input(1));
  return build.neg(build.mul(at.gradient(), build.div(at.result(), at.input(1))));
}

SINTER_INLINE Value remainder(const Backward& at, std::size_t input) {
  Builder& build = at.builder;
  if (input == 0) return at.gradient();
  const Value quotient = build.elementwise(Op::floor_divide, {at.input(0), at.input(1)});
  return build.neg(build.mul(at.gradient(), quotient));
}

namespace detail {

// The least number whose reciprocal is finite, but for a few.
constexpr double least_normal(DType dtype) {
  return dtype == f64 ? 0x1p-1022 : dtype == f16 ? 0x1p-14 : 0x1p-126;
}

// x to the power -1 is infinite at and near 0; where y is 0 it counts 0 times, and should not
// matter. Elsewhere it does for the derivative with respect to y.
SINTER_INLINE Value pow_base(const Backward& at) {
  Builder& build = at.builder;
  const Value x = at.input(0), y = at.input(1);
  const Value one = build.constant_like(y, 1);
  const Value size = build.elementwise(Op::abs, {x});
  const Value is_near =
      build.elementwise(Op::lt, {size, build.constant_like(x, least_normal(build.dtype(x)))});
  const Value flat = build.select(build.elementwise(Op::eq, {y, build.constant_like(y, 0)}),
                                  is_near, build.constant_like(is_near, false));
  const Value exponent = build.sub(build.select(flat, one, y), one);
  return build.mul(at.gradient(), build.mul(y, build.elementwise(Op::pow, {x, exponent})));
}

// The logarithm is that of 1 where its value is not used, or second derivatives would be NaN there.
SINTER_INLINE Value pow_exponent(const Backward& at) {
  Builder& build = at.builder;
  const Value x = at.input(0), y = at.input(1), zero = build.constant_like(y, 0);
  const Value flat = build.elementwise(Op::bitwise_and, {build.elementwise(Op::eq, {x, zero}),
                                                         build.elementwise(Op::ge, {y, zero})});
  const Value base = build.select(flat, build.constant_like(x, 1), x);
  const Value slope = build.mul(at.result(), build.elementwise(Op::log, {base}));
  return build.select(flat, zero, build.mul(at.gradient(), slope));
}

// The gradient where operand `input` is the one that was chosen, none where it `loses` against
// the other, half of it where they are equal.
SINTER_INLINE Value extremum(const Backward& at, std::size_t input, Op loses) {
  Builder& build = at.builder;
  const Value mine = at.input(input), other = at.input(1 - input), gradient = at.gradient();
  const Value half = build.mul(gradient, build.constant_like(gradient, 0.5));
  const Value zero = build.constant_like(gradient, 0);
  const Value alone = build.select(build.elementwise(loses, {mine, other}), zero, gradient);
  return build.select(build.elementwise(Op::eq, {mine, other}), half, alone);
}

}  // namespace detail

// Of the base: 0 where the exponent is 0. Of the exponent: 0 where the base is 0 and the exponent
// is not negative.
SINTER_INLINE Value pow(const Backward& at, std::size_t input) {
  return input == 0 ? detail::pow_base(at) : detail::pow_exponent(at);
}

// Half for each operand where the two are equal.
SINTER_INLINE Value minimum(const Backward& at, std::size_t input) {
  return detail::extremum(at, input, Op::gt);
}

SINTER_INLINE Value maximum(const Backward& at, std::size_t input) {
  return detail::extremum(at, input, Op::lt);
}

// 0, and never NaN, for the operand that was not selected.
SINTER_INLINE Value select(const Backward& at, std::size_t input) {
  Builder& build = at.builder;
  const Value gradient = at.gradient(), zero = build.constant_like(gradient, 0);
  return input == 1 ? build.select(at.input(0), gradient, zero)
                    : build.select(at.input(0), zero, gradient);
}

}  // namespace gradient_of

/// In the order of op_table.
inline constexpr std::array elementwise_gradients{
    GradientRule{Op::cast, gradient_of::cast},
    GradientRule{Op::neg, gradient_of::neg},
    GradientRule{Op::abs, gradient_of::abs},
    GradientRule{Op::sign, zero_derivative},
    GradientRule{Op::exp, gradient_of::exp},
    GradientRule{Op::expm1, gradient_of::expm1},
    GradientRule{Op::log, gradient_of::log},
    GradientRule{Op::log1p, gradient_of::log1p},
    GradientRule{Op::sin, gradient_of::sin},
    GradientRule{Op::cos, gradient_of::cos},
    GradientRule{Op::tan, gradient_of::tan},
    GradientRule{Op::tanh, gradient_of::tanh},
    GradientRule{Op::atan, gradient_of::atan},
    GradientRule{Op::erf, gradient_of::erf},
    GradientRule{Op::sqrt, gradient_of::sqrt},
    GradientRule{Op::floor, zero_derivative},
    GradientRule{Op::bitwise_not, no_derivative},
    GradientRule{Op::add, gradient_of::add},
    GradientRule{Op::sub, gradient_of::sub},
    GradientRule{Op::mul, gradient_of::mul},
    GradientRule{Op::div, gradient_of::div},
    GradientRule{Op::floor_divide, zero_derivative},
    GradientRule{Op::remainder, gradient_of::remainder},
    GradientRule{Op::pow, gradient_of::pow},
    GradientRule{Op::minimum, gradient_of::minimum},
    GradientRule{Op::maximum, gradient_of::maximum},
    GradientRule{Op::bitwise_and, no_derivative},
    GradientRule{Op::bitwise_or, no_derivative},
    GradientRule{Op::bitwise_xor, no_derivative},
    GradientRule{Op::shift_left, no_derivative},
    GradientRule{Op::shift_right, no_derivative},
    GradientRule{Op::eq, no_derivative},
    GradientRule{Op::ne, no_derivative},
    GradientRule{Op::lt, no_derivative},
    GradientRule{Op::le, no_derivative},
    GradientRule{Op::gt, no_derivative},
    GradientRule{Op::ge, no_derivative},
    GradientRule{Op::select, gradient_of::select},
    GradientRule{Op::custom_elementwise, no_derivative},
};

static_assert(elementwise_gradients.size() == elementwise_count,
              "autodiff/gradient/elementwise_rules.ipp: a gradient rule for each elementwise Op");
static_assert(in_order_of_op_table(elementwise_gradients, first_elementwise),
              "autodiff/gradient/elementwise_rules.ipp: gradient rules in the order of op_table");

SINTER_INLINE GradientRule elementwise_gradient_rule(Op op) {
  return elementwise_gradients[static_cast<std::size_t>(op) - first_elementwise];
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
