#pragma once

#include <array>    // std::array
#include <cmath>    // std::abs
#include <utility>  // std::move

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/infer.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/pass/fold_constants.hpp>
#include <sinter/pass/match.hpp>
#include <sinter/pass/scalar.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

namespace detail {

SINTER_INLINE TensorType result_type(const Builder& builder, const Node& node) {
  SmallVector<TensorType, 4> types;
  for (Value input : node.inputs) types.push_back(builder.type(input));
  return infer(node, {types.data(), types.size()})[0];
}

SINTER_INLINE Vector<Value> fold_elementwise(Builder& builder, const Node& node) {
  if (!is_elementwise(node.op) || node.op == Op::custom_elementwise) return {};
  SmallVector<Constant, 4> operands;
  for (Value input : node.inputs) {
    const auto number = number_of(builder, input);
    if (!number) return {};
    operands.push_back(*number);
  }
  const TensorType type = result_type(builder, node);
  const auto folded = compute(node.op, {operands.data(), operands.size()}, type.dtype);
  if (!folded) return {};
  return {builder.constant(*folded, type)};
}

SINTER_INLINE Vector<Value> fold_movement(Builder& builder, const Node& node) {
  if (!is_movement(node.op)) return {};
  const auto number = number_of(builder, node.inputs[0]);
  if (!number) return {};
  if (node.op == Op::pad && attribute<Constant>(node, "value") != *number) return {};
  return {builder.constant(*number, result_type(builder, node))};
}

// The number of elements that are reduced to one, if it is known.
SINTER_INLINE Optional<std::int64_t> reduced_count(const Builder& builder, const Node& node) {
  Extent count = 1;
  for (const std::int64_t axis : numbers(node, "axes")) {
    count *= builder.shape(node.inputs[0])[static_cast<int>(axis)];
  }
  if (!count.is_number()) return {};
  return count.number();
}

// `number` added to itself `count` times. In floating dtypes only if all sums on the way are
// integers that the dtype of the sum holds, so that no order rounds.
SINTER_INLINE Optional<Constant> repeated_sum(const Constant& number, std::int64_t count) {
  if (!is_floating(number.dtype)) {
    const auto sum = number.bits * static_cast<std::uint64_t>(count);
    return constant(static_cast<std::int64_t>(sum), number.dtype);
  }
  const double exact = computed_in(number.dtype) == f64 ? 0x1p53 : 0x1p24;
  const double sum = number.floating() * static_cast<double>(count);
  const bool rounds = std::abs(number.floating()) > exact || std::abs(sum) > exact ||
                      count > static_cast<std::int64_t>(exact) ||
                      number.floating() != std::trunc(number.floating());
  if (rounds || number == constant(-0.0, number.dtype)) return {};
  return constant(sum, number.dtype);
}

SINTER_INLINE Vector<Value> fold_reduction(Builder& builder, const Node& node) {
  if (!is_reduction(node.op) || node.op == Op::argmax) return {};
  const auto number = number_of(builder, node.inputs[0]);
  if (!number) return {};
  const auto count = reduced_count(builder, node);
  const bool neutral = (node.op == Op::sum && *number == constant(0, number->dtype)) ||
                       (node.op == Op::prod && *number == constant(1, number->dtype));
  const bool extremum = node.op == Op::max || node.op == Op::min;
  Optional<Constant> folded;
  if (neutral || (extremum && count.value_or(0) > 0)) folded = number;
  if (!folded && node.op == Op::sum && count) folded = repeated_sum(*number, *count);
  if (!folded) return {};
  return {builder.constant(*folded, result_type(builder, node))};
}

inline constexpr std::array fold_rules{
    Rule{"elementwise of constants -> constant", fold_elementwise},
    Rule{"movement of a constant -> constant", fold_movement},
    Rule{"reduction of a constant -> constant", fold_reduction},
};

}  // namespace detail

SINTER_INLINE Graph fold_constants(Graph graph) {
  return rewrite(std::move(graph), detail::fold_rules);
}

}  // namespace sinter::inline SINTER_ABI::detail::pass
