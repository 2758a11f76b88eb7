#pragma once
// How each operation is written into a random program.

#include <cmath>

#include "../operations.hpp"
#include "program.hpp"

namespace random_program {

namespace detail {

/// Whether the operation needs the same bits in all backends: a jump, or a pole.
inline bool needs_exact(Op op) {
  if (const operations::Function* const row = operations::find(op)) return row->facts.is_delicate;
  switch (op) {
    case Op::div:
    case Op::pow:
    case Op::floor_divide:
    case Op::remainder:
    case Op::argmax:
    case Op::argsort:
      return true;
    default:
      return info(op).gives == Gives::boolean;
  }
}

/// Whether the results of both backends have the same bits if the operands have.
inline bool keeps_bits(const Writer& to, Op op, DType dtype) {
  if (!is_floating(dtype) || is_movement(op)) return true;
  if (is_control(op)) return false;
  if (info(op).gives != Gives::same) return true;
  switch (op) {
    case Op::neg:
    case Op::abs:
    case Op::sign:
    case Op::select:
    case Op::minimum:
    case Op::maximum:
    case Op::max:
    case Op::min:
    case Op::gather:
    case Op::concatenate:
      return true;
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::sqrt:
    case Op::floor:
    case Op::floor_divide:
    case Op::remainder:
      return to.strict();
    default:
      return false;
  }
}

inline double magnitude(Op op, double x, double y, double count) {
  if (const operations::Function* const row = operations::find(op)) return row->facts.magnitude(x);
  switch (op) {
    case Op::add:
    case Op::sub:
      return x + y;
    case Op::mul:
      return x * y;
    case Op::sum:
    case Op::cumsum:
    case Op::scatter_add:
      return x * std::max(1.0, count) + y;
    case Op::dot_general:
      return x * y * std::max(1.0, count);
    case Op::prod:
    case Op::cumprod:
      return std::pow(std::max(1.0, x), count);
    case Op::div:
    case Op::pow:
    case Op::floor_divide:
      return 1e9;
    default:
      return std::max(x, y);
  }
}

/// Adds a result; one that may be large also as its tanh, which later steps use.
inline void finish(Writer& to, Op op, Value result, std::initializer_list<Value> operands,
                   double count = 1) {
  Known facts{keeps_bits(to, op, to.build.dtype(result)), 0};
  double bounds[2]{};
  std::size_t next = 0;
  for (const Value operand : operands) {
    facts.exact &= to.known(operand).exact;
    if (is_floating(to.build.dtype(operand)) && next < 2) {
      bounds[next++] = to.known(operand).bound;
    }
  }
  if (!is_floating(to.build.dtype(result))) return to.add(result, {facts.exact, 2});
  facts.bound = magnitude(op, bounds[0], bounds[1], count);
  if (!(facts.bound > 8)) return to.add(result, facts);
  const Value tamed = to.build.elementwise(Op::tanh, {result});
  to.add(result, {facts.exact, facts.bound});
  to.add(tamed, {false, 1});
}

inline double number_of_elements(const Shape& shape) {
  double result = 1;
  for (const Extent& extent : shape) {
    result *= extent.is_number() ? static_cast<double>(extent.number()) : 40;
  }
  return result;
}

inline void write_elementwise(Writer& to, const Step& step) {
  Builder& build = to.build;
  const bool exact = needs_exact(step.op);
  const Value x = to.operand(step.dtype, step.rank, exact);
  const Shape shape = build.shape(x);
  if (step.op == Op::cast) {
    const DType dtypes[]{boolean, u8, i8, i16, i32, i64, f16, bf16, f32, f64};
    const DType target = dtypes[to.below(10)];
    const bool jumps = needs_bits(step.dtype, target) && !to.known(x).exact;
    const Value result = build.cast(x, jumps ? bf16 : target);
    Known facts = is_floating(step.dtype) ? to.known(x) : Known{true, 1e9};
    const DType given = build.dtype(result);
    facts.exact &= given != f16 && given != bf16;  // it need not round
    return to.add(result, facts);
  }
  if (step.op == Op::select) {
    const Value condition = to.operand(boolean, shape, true);
    const Value y = to.operand(step.dtype, shape, false);
    return finish(to, step.op, build.select(condition, x, y), {x, y});
  }
  if (info(step.op).arity == 1) {
    return finish(to, step.op, build.elementwise(step.op, {x}), {x});
  }
  Value y = to.operand(step.dtype, shape, exact);
  const bool divides = step.op == Op::floor_divide || step.op == Op::remainder;
  if (divides && !is_floating(step.dtype)) {  // by odd numbers: a fault is another test's matter
    const Value one = build.constant_like(y, 1);
    y = build.elementwise(Op::bitwise_or, {y, one});
    to.add(y, {});
  }
  finish(to, step.op, build.elementwise(step.op, {x, y}), {x, y});
}

/// The operand of a product of many: at most 1, since their order shows once a factor is 0 and
/// another overflows; and of halves exact, since each that is rounded before adds its part.
inline Value factors(Writer& to, const Step& step) {
  const bool multiplies = step.op == Op::prod || step.op == Op::cumprod;
  const bool half = step.dtype == f16 || step.dtype == bf16;
  const Value x = to.operand(step.dtype, step.rank, needs_exact(step.op) || (multiplies && half));
  if (!multiplies || !is_floating(step.dtype)) return x;
  Builder& build = to.build;
  const Value low = build.elementwise(Op::maximum, {x, build.constant_like(x, -1)});
  const Value tamed = build.elementwise(Op::minimum, {low, build.constant_like(x, 1)});
  to.add(tamed, {to.known(x).exact, 1});
  return tamed;
}

inline void write_reduction(Writer& to, const Step& step) {
  Value x = factors(to, step);
  const Shape shape = to.build.shape(x);
  const bool needs_elements = step.op != Op::sum && step.op != Op::prod;
  AxisList axes;
  double count = 1;
  for (int axis = 0; axis < shape.size(); ++axis) {
    const bool can_be_empty = !shape[axis].is_number() || shape[axis].number() == 0;
    if (to.below(2) == 0 || (needs_elements && can_be_empty)) continue;
    axes.push_back(axis);
    count *= shape[axis].is_number() ? static_cast<double>(shape[axis].number()) : 40;
  }
  if (axes.empty() && step.op != Op::argmax) {  // over an axis of one element, then
    Shape wider = shape;
    wider.push_back(1);
    const Known facts = to.known(x);
    x = to.build.reshape(x, wider);
    to.add(x, facts);
    axes.push_back(shape.size());
  }
  finish(to, step.op, to.build.reduce(step.op, x, axes), {x}, count);
}

inline void write_row(Writer& to, const Step& step) {
  const Value x = factors(to, step);
  const int axis = to.below(step.rank);
  const Extent extent = to.build.shape(x)[axis];
  if (step.op == Op::argsort) {
    const bool descending = to.below(2) == 0;
    return finish(to, step.op, to.build.argsort(x, axis, descending), {x});
  }
  const double count = extent.is_number() ? static_cast<double>(extent.number()) : 40;
  finish(to, step.op, to.build.cumulate(step.op, x, axis), {x}, count);
}

inline void write_leaf(Writer& to, const Step& step) {
  Builder& build = to.build;
  const TensorType type{step.dtype, to.shape(step.rank)};
  if (step.op == Op::iota) {
    const Value result = build.iota(type, to.below(step.rank));
    return to.add(result, {true, 100});
  }
  if (step.op == Op::constant) {
    const double number = static_cast<double>(to.below(9) - 4) / 2;
    return to.add(build.constant(constant(number, step.dtype), type), {});
  }
  const Value seed = build.constant(constant(to.below(100)), {i64, {}});
  const Value bits = build.append({.op = Op::random_bits,
                                   .inputs = {seed, seed},
                                   .attributes = {{"number", constant(to.below(9))}},
                                   .results = {type}});
  to.add(bits, {});
}

}  // namespace detail

}  // namespace random_program
