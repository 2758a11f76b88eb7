#pragma once
// The table of gradient rules, one row per operation; those of elementwise operations are in
// elementwise_rules.ipp.

#include <array>    // std::array
#include <cstddef>  // std::size_t

#include <sinter/autodiff/gradient/backward.hpp>
#include <sinter/autodiff/gradient/contraction_rules.hpp>
#include <sinter/autodiff/gradient/control_rules.hpp>
#include <sinter/autodiff/gradient/elementwise_rules.hpp>
#include <sinter/autodiff/gradient/indexed_rules.hpp>
#include <sinter/autodiff/gradient/movement_rules.hpp>
#include <sinter/autodiff/gradient/op_order.hpp>
#include <sinter/autodiff/gradient/reduction_rules.hpp>
#include <sinter/autodiff/gradient/row_rules.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

/// In the order of op_table, without its elementwise operations.
inline constexpr std::array gradient_table{
    GradientRule{Op::input, no_derivative},
    GradientRule{Op::constant, no_derivative},
    GradientRule{Op::iota, no_derivative},
    GradientRule{Op::random_bits, no_derivative},
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
    GradientRule{Op::custom, gradient_of::custom},
};

static_assert(gradient_table.size() + elementwise_count == op_count,
              "autodiff/gradient/rules.hpp: a gradient rule for each Op that is not elementwise");

constexpr GradientRule other_gradient_rule(Op op) {
  const auto row = static_cast<std::size_t>(op);
  return gradient_table[row < first_elementwise ? row : row - elementwise_count];
}

static_assert(
    [] {
      for (std::size_t i = 0; i < op_count; ++i) {
        const Op op = static_cast<Op>(i);
        if (!is_elementwise(op) && other_gradient_rule(op).op != op) return false;
      }
      return true;
    }(),
    "autodiff/gradient/rules.hpp: gradient rules in the order of op_table");

inline GradientRule gradient_rule(Op op) {
  return is_elementwise(op) ? elementwise_gradient_rule(op) : other_gradient_rule(op);
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
