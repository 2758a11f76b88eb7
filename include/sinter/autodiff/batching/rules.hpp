#pragma once
// The table of batching rules, one row per operation.

#include <array>    // std::array
#include <cstddef>  // std::size_t

#include <sinter/autodiff/batching/axis_rules.hpp>
#include <sinter/autodiff/batching/batching.hpp>
#include <sinter/autodiff/batching/control_rules.hpp>
#include <sinter/autodiff/batching/indexed_rules.hpp>
#include <sinter/autodiff/batching/loop_rules.hpp>
#include <sinter/autodiff/gradient/op_order.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

struct BatchingRule {
  Op op;
  BatchingFunction apply;  ///< None if there are no inputs that could be batched.
};

inline constexpr BatchingFunction same_for_all = nullptr;

/// In the order of op_table, without its elementwise operations, which have one rule.
inline constexpr std::array batching_table{
    BatchingRule{Op::input, same_for_all},
    BatchingRule{Op::constant, same_for_all},
    BatchingRule{Op::iota, same_for_all},
    BatchingRule{Op::random_bits, batch_of::random_bits},
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
    BatchingRule{Op::custom, batch_of::custom},
};

constexpr BatchingRule batching_rule(Op op) {
  const auto row = static_cast<std::size_t>(op);
  if (row < first_elementwise) return batching_table[row];
  if (is_elementwise(op)) return {op, batch_of::elementwise};
  return batching_table[row - elementwise_count];
}

static_assert(batching_table.size() + elementwise_count == op_count,
              "autodiff/batching/rules.hpp: a batching rule for each Op that is not elementwise");
static_assert(
    [] {
      for (std::size_t i = 0; i < op_count; ++i) {
        if (batching_rule(static_cast<Op>(i)).op != static_cast<Op>(i)) return false;
      }
      return true;
    }(),
    "autodiff/batching/rules.hpp: batching rules in the order of op_table");

}  // namespace sinter::inline SINTER_ABI::detail::autodiff
