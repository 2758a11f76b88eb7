#pragma once

#include <array>    // std::array
#include <cmath>    // std::frexp
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/pass/match.hpp>
#include <sinter/pass/remove_identities.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

namespace detail {

SINTER_INLINE Vector<Value> constant_last(Builder& builder, const Node& node) {
  constexpr std::array commutative{Op::add,         Op::mul, Op::bitwise_and, Op::bitwise_or,
                                   Op::bitwise_xor, Op::eq,  Op::ne};
  if (!contains(commutative, node.op)) return {};
  const Value x = node.inputs[0], y = node.inputs[1];
  if (!number_of(builder, x) || number_of(builder, y)) return {};
  return {builder.elementwise(node.op, {y, x})};
}

// The left operand where the right one is a constant that changes nothing.
SINTER_INLINE Vector<Value> neutral_operand(Builder& builder, const Node& node) {
  if (info(node.op).arity != 2 || !is_elementwise(node.op)) return {};
  const Value x = node.inputs[0], y = node.inputs[1];
  const auto is = [&](auto number) { return is_number(builder, y, number); };
  const auto keeps = [&] {
    switch (node.op) {
      case Op::mul:
      case Op::div:
      case Op::pow:
        return is(1);
      case Op::floor_divide:
        return is(1) && !is_floating(builder.dtype(y));
      case Op::add:
        return is(-0.0);  // which is 0 in integers
      case Op::sub:
      case Op::bitwise_or:
      case Op::bitwise_xor:
      case Op::shift_left:
      case Op::shift_right:
        return is(0);
      case Op::bitwise_and:
        return is(builder.dtype(y) == boolean ? 1 : -1);
      default:
        return false;
    }
  };
  return keeps() ? Vector{x} : Vector<Value>{};
}

// Operations that give x if both of their operands are x.
SINTER_INLINE Vector<Value> equal_operands(Builder&, const Node& node) {
  constexpr std::array idempotent{Op::minimum, Op::maximum, Op::bitwise_and, Op::bitwise_or};
  if (!contains(idempotent, node.op)) return {};
  if (node.inputs[0] != node.inputs[1]) return {};
  return {node.inputs[0]};
}

template <Op op>
Vector<Value> twice(Builder& builder, const Node& node) {
  const auto x = node.op == op ? input_of(builder, node.inputs[0], op) : std::nullopt;
  return x ? Vector{*x} : Vector<Value>{};
}

template <Op op>
Vector<Value> again(Builder& builder, const Node& node) {
  const bool repeats = node.op == op && maker(builder, node.inputs[0]).op == op;
  return repeats ? Vector{node.inputs[0]} : Vector<Value>{};
}

// Where numbers have no sign, -x is 256 - x.
SINTER_INLINE Vector<Value> abs_of_neg(Builder& builder, const Node& node) {
  if (node.results[0].dtype == u8) return {};
  const auto x = node.op == Op::abs ? input_of(builder, node.inputs[0], Op::neg) : std::nullopt;
  return x ? Vector{builder.elementwise(Op::abs, {*x})} : Vector<Value>{};
}

SINTER_INLINE Vector<Value> add_of_neg(Builder& builder, const Node& node) {
  if (node.op != Op::add) return {};
  const Value x = node.inputs[0], y = node.inputs[1];
  if (const auto negated = input_of(builder, y, Op::neg)) return {builder.sub(x, *negated)};
  if (const auto negated = input_of(builder, x, Op::neg)) return {builder.sub(y, *negated)};
  return {};
}

SINTER_INLINE Vector<Value> sub_of_neg(Builder& builder, const Node& node) {
  const auto y = node.op == Op::sub ? input_of(builder, node.inputs[1], Op::neg) : std::nullopt;
  return y ? Vector{builder.add(node.inputs[0], *y)} : Vector<Value>{};
}

// -(-x * y) and -(-x / y), the sign on either side.
SINTER_INLINE Vector<Value> neg_of_product(Builder& builder, const Node& node) {
  if (node.op != Op::neg) return {};
  const Node& product = maker(builder, node.inputs[0]);
  const Op op = product.op;
  if (op != Op::mul && op != Op::div) return {};
  const Value x = product.inputs[0], y = product.inputs[1];
  if (const auto positive = input_of(builder, x, Op::neg)) {
    return {builder.elementwise(op, {*positive, y})};
  }
  if (const auto positive = input_of(builder, y, Op::neg)) {
    return {builder.elementwise(op, {x, *positive})};
  }
  return {};
}

SINTER_INLINE Vector<Value> times_minus_one(Builder& builder, const Node& node) {
  const bool negates = node.op == Op::mul && is_number(builder, node.inputs[1], -1);
  return negates ? Vector{builder.neg(node.inputs[0])} : Vector<Value>{};
}

// Exact where the reciprocal is a power of two that is neither subnormal nor infinite.
SINTER_INLINE Vector<Value> divide_by_power(Builder& builder, const Node& node) {
  const auto divisor = node.op == Op::div ? number_of(builder, node.inputs[1]) : std::nullopt;
  if (!divisor) return {};
  const double reciprocal = 1 / divisor->floating();
  int exponent = 0;
  const bool power =
      std::isfinite(reciprocal) && std::frexp(std::abs(reciprocal), &exponent) == 0.5;
  const int least = divisor->dtype == f16 ? -14 : divisor->dtype == f64 ? -1022 : -126;
  if (!power || exponent - 1 < least || exponent > 1 - least) return {};
  return {builder.mul(node.inputs[0], builder.constant_like(node.inputs[0], reciprocal))};
}

SINTER_INLINE Vector<Value> decided_select(Builder& builder, const Node& node) {
  if (node.op != Op::select) return {};
  const auto condition = number_of(builder, node.inputs[0]);
  if (condition) return {node.inputs[condition->integer() != 0 ? 1 : 2]};
  if (node.inputs[1] == node.inputs[2]) return {node.inputs[1]};
  return {};
}

/// True if a cast from `from` to `to` loses nothing.
constexpr bool holds_all(DType to, DType from) {
  if (to == from || from == boolean) return true;
  if (is_floating(from)) {
    return is_floating(to) && info(to).size > info(from).size;
  }
  if (to == boolean || to == u8) return false;
  const std::size_t bits = 8 * info(from).size - (from == u8 ? 0 : 1);
  switch (to) {
    case f16:
      return bits <= 11;
    case bf16:
      return bits <= 8;
    case f32:
      return bits <= 24;
    case f64:
      return bits <= 53;
    default:
      return info(to).size > info(from).size;
  }
}

// A dtype in between that loses nothing is left out, unless it changes how the cast works: from
// floating to integer saturates, between integers wraps. A reshape between the two moves nothing.
SINTER_INLINE Vector<Value> cast_of_cast(Builder& builder, const Node& node) {
  if (node.op != Op::cast) return {};
  const DType to = node.results[0].dtype, between = builder.dtype(node.inputs[0]);
  if (to == between) return {node.inputs[0]};
  const auto reshaped = input_of(builder, node.inputs[0], Op::reshape);
  const auto x = input_of(builder, reshaped.value_or(node.inputs[0]), Op::cast);
  if (!x) return {};
  const DType from = builder.dtype(*x);
  const bool alike =
      is_floating(from) == is_floating(between) || from == boolean || holds_all(to, from);
  if (!alike || !holds_all(between, from)) return {};
  const Value value = reshaped ? builder.reshape(*x, node.results[0].shape) : *x;
  if (!is_written_cast(node) || to == from) return {builder.cast(value, to)};
  Node written = node;
  written.inputs = {value};
  return {builder.append(std::move(written))};
}

inline constexpr std::array identity_rules{
    Rule{"1 * x -> x * 1", constant_last},
    Rule{"x * 1, x - 0, ... -> x", neutral_operand},
    Rule{"minimum(x, x), ... -> x", equal_operands},
    Rule{"--x -> x", twice<Op::neg>},
    Rule{"~~x -> x", twice<Op::bitwise_not>},
    Rule{"abs(abs(x)) -> abs(x)", again<Op::abs>},
    Rule{"floor(floor(x)) -> floor(x)", again<Op::floor>},
    Rule{"abs(-x) -> abs(x)", abs_of_neg},
    Rule{"x + -y -> x - y", add_of_neg},
    Rule{"x - -y -> x + y", sub_of_neg},
    Rule{"-(-x * y) -> x * y", neg_of_product},
    Rule{"x * -1 -> -x", times_minus_one},
    Rule{"x / 4 -> x * 0.25", divide_by_power},
    Rule{"select(true, x, y) -> x", decided_select},
    Rule{"cast(cast(x)) -> cast(x)", cast_of_cast},
};

}  // namespace detail

SINTER_INLINE Graph remove_identities(Graph graph) {
  return rewrite(std::move(graph), detail::identity_rules);
}

}  // namespace sinter::inline SINTER_ABI::detail::pass
