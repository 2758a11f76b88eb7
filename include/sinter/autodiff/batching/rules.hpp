#pragma once
// The table of batching rules, one row per operation.

#include <array>    // std::array
#include <cstddef>  // std::size_t

#include <sinter/autodiff/batching/axis_rules.hpp>
#include <sinter/autodiff/batching/batching.hpp>
#include <sinter/autodiff/batching/control_rules.hpp>
#include <sinter/autodiff/batching/indexed_rules.hpp>
#include <sinter/autodiff/batching/loop_rules.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

struct BatchingRule {
  Op op;
  BatchingFunction apply;  ///< None if there are no inputs that could be batched.
};

inline constexpr BatchingFunction same_for_all = nullptr;

/// In the order of op_table.
inline constexpr std::array batching_table{
    BatchingRule{Op::input, same_for_all},
    BatchingRule{Op::constant, same_for_all},
    BatchingRule{Op::iota, same_for_all},
    BatchingRule{Op::random_bits, batch_of::random_bits},
    BatchingRule{Op::cast, batch_of::elementwise},
    BatchingRule{Op::neg, batch_of::elementwise},
    BatchingRule{Op::abs, batch_of::elementwise},
    BatchingRule{Op::sign, batch_of::elementwise},
    BatchingRule{Op::exp, batch_of::elementwise},
    BatchingRule{Op::expm1, batch_of::elementwise},
    BatchingRule{Op::log, batch_of::elementwise},
    BatchingRule{Op::log1p, batch_of::elementwise},
    BatchingRule{Op::sin, batch_of::elementwise},
    BatchingRule{Op::cos, batch_of::elementwise},
    BatchingRule{Op::tan, batch_of::elementwise},
    BatchingRule{Op::tanh, batch_of::elementwise},
    BatchingRule{Op::atan, batch_of::elementwise},
    BatchingRule{Op::erf, batch_of::elementwise},
    BatchingRule{Op::sqrt, batch_of::elementwise},
    BatchingRule{Op::floor, batch_of::elementwise},
    BatchingRule{Op::bitwise_not, batch_of::elementwise},
    BatchingRule{Op::add, batch_of::elementwise},
    BatchingRule{Op::sub, batch_of::elementwise},
    BatchingRule{Op::mul, batch_of::elementwise},
    BatchingRule{Op::div, batch_of::elementwise},
    BatchingRule{Op::floor_divide, batch_of::elementwise},
    BatchingRule{Op::remainder, batch_of::elementwise},
    BatchingRule{Op::pow, batch_of::elementwise},
    BatchingRule{Op::minimum, batch_of::elementwise},
    BatchingRule{Op::maximum, batch_of::elementwise},
    BatchingRule{Op::bitwise_and, batch_of::elementwise},
    BatchingRule{Op::bitwise_or, batch_of::elementwise},
    BatchingRule{Op::bitwise_xor, batch_of::elementwise},
    BatchingRule{Op::shift_left, batch_of::elementwise},
    BatchingRule{Op::shift_right, batch_of::elementwise},
    BatchingRule{Op::eq, batch_of::elementwise},
    BatchingRule{Op::ne, batch_of::elementwise},
    BatchingRule{Op::lt, batch_of::elementwise},
    BatchingRule{Op::le, batch_of::elementwise},
    BatchingRule{Op::gt, batch_of::elementwise},
    BatchingRule{Op::ge, batch_of::elementwise},
    BatchingRule{Op::select, batch_of::elementwise},
    BatchingRule{Op::sum, batch_of::reduction},
    BatchingRule{Op::prod, batch_of::reduction},
    BatchingRule{Op::max, batch_of::reduction},
    BatchingRule{Op::min, batch_of::reduction},
    BatchingRule{Op::argmax, batch_of::reduction},
    BatchingRule{Op::cumsum, batch_of::row},
    BatchingRule{Op::cumprod, batch_of::row},
    BatchingRule{Op::argsort, batch_of::row},
    BatchingRule{Op::reshape, batch_of::reshape},
    BatchingRule{Op::permute, batch_of::permute},
    BatchingRule{Op::expand, batch_of::expand},
    BatchingRule{Op::pad, batch_of::pad},
    BatchingRule{Op::slice, batch_of::slice},
    BatchingRule{Op::unfold, batch_of::unfold},
    BatchingRule{Op::flip, batch_of::flip},
    BatchingRule{Op::gather, batch_of::gather},
    BatchingRule{Op::scatter_add, batch_of::scatter_add},
    BatchingRule{Op::concatenate, batch_of::concatenate},
    BatchingRule{Op::dot_general, batch_of::dot_general},
    BatchingRule{Op::call, batch_of::call},
    BatchingRule{Op::cond, batch_of::cond},
    BatchingRule{Op::while_loop, batch_of::while_loop},
    BatchingRule{Op::scan, batch_of::scan},
};

static_assert(batching_table.size() == op_count, "a batching rule for each Op");
static_assert(
    [] {
      for (std::size_t i = 0; i < op_count; ++i) {
        if (batching_table[i].op != static_cast<Op>(i)) return false;
      }
      return true;
    }(),
    "batching rules in the order of op_table");

constexpr const BatchingRule& batching_rule(Op op) {
  return batching_table[static_cast<std::size_t>(op)];
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
