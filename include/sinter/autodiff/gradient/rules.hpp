#pragma once
// The table of gradient rules, one row per operation.

#include <array>    // std::array
#include <cstddef>  // std::size_t

#include <sinter/autodiff/gradient/backward.hpp>
#include <sinter/autodiff/gradient/contraction_rules.hpp>
#include <sinter/autodiff/gradient/control_rules.hpp>
#include <sinter/autodiff/gradient/elementwise_rules.hpp>
#include <sinter/autodiff/gradient/indexed_rules.hpp>
#include <sinter/autodiff/gradient/movement_rules.hpp>
#include <sinter/autodiff/gradient/reduction_rules.hpp>
#include <sinter/autodiff/gradient/row_rules.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

struct GradientRule {
  Op op;
  GradientFunction apply;  ///< None if nothing flows: the derivative is zero, or there is none.
};

/// No inputs, or results that are not floating.
inline constexpr GradientFunction no_derivative = nullptr;
/// Floating results that are constant but for steps.
inline constexpr GradientFunction zero_derivative = nullptr;

/// In the order of op_table.
inline constexpr std::array gradient_table{
    GradientRule{Op::input, no_derivative},
    GradientRule{Op::constant, no_derivative},
    GradientRule{Op::iota, no_derivative},
    GradientRule{Op::random_bits, no_derivative},
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
    GradientRule{Op::sum, gradient_of::sum},
    GradientRule{Op::prod, gradient_of::prod},
    GradientRule{Op::max, gradient_of::max},
    GradientRule{Op::min, gradient_of::min},
    GradientRule{Op::argmax, no_derivative},
    GradientRule{Op::cumsum, gradient_of::cumsum},
    GradientRule{Op::cumprod, gradient_of::cumprod},
    GradientRule{Op::argsort, no_derivative},
    GradientRule{Op::reshape, gradient_of::reshape},
    GradientRule{Op::permute, gradient_of::permute},
    GradientRule{Op::expand, gradient_of::expand},
    GradientRule{Op::pad, gradient_of::pad},
    GradientRule{Op::slice, gradient_of::slice},
    GradientRule{Op::unfold, gradient_of::unfold},
    GradientRule{Op::flip, gradient_of::flip},
    GradientRule{Op::gather, gradient_of::gather},
    GradientRule{Op::scatter_add, gradient_of::scatter_add},
    GradientRule{Op::concatenate, gradient_of::concatenate},
    GradientRule{Op::dot_general, gradient_of::dot_general},
    GradientRule{Op::call, gradient_of::call},
    GradientRule{Op::cond, gradient_of::cond},
    GradientRule{Op::while_loop, gradient_of::while_loop},
    GradientRule{Op::scan, gradient_of::scan},
};

static_assert(gradient_table.size() == op_count, "a gradient rule for each Op");
static_assert(
    [] {
      for (std::size_t i = 0; i < op_count; ++i) {
        if (gradient_table[i].op != static_cast<Op>(i)) return false;
      }
      return true;
    }(),
    "gradient rules in the order of op_table");

constexpr const GradientRule& gradient_rule(Op op) {
  return gradient_table[static_cast<std::size_t>(op)];
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
