#pragma once
// Steps that move elements, take them at indices, or multiply matrices.

#include "steps.hpp"

namespace random_program::detail {

inline Shape filled(int rank, Extent extent) {
  Shape result;
  for (int axis = 0; axis < rank; ++axis) result.push_back(extent);
  return result;
}

inline Value padded(Writer& to, Value x) {
  const Shape shape = to.build.shape(x);
  Shape low = filled(shape.size(), 0), high = low;
  const int axis = to.below(shape.size());
  low[axis] = to.below(3);
  high[axis] = to.below(3);
  const bool can_shrink = shape[axis].is_number() && shape[axis].number() >= 2;
  if (can_shrink && to.below(4) == 0) (to.below(2) == 0 ? low : high)[axis] = -1;
  return to.build.pad(x, low, high, constant(0.5, to.build.dtype(x)));
}

inline Value sliced(Writer& to, Value x) {
  Shape shape = to.build.shape(x), start = filled(shape.size(), 0);
  AxisList step(static_cast<std::size_t>(shape.size()), 1);
  const int axis = to.below(shape.size());
  const int stride = 1 + to.below(3);
  Extent left = shape[axis];
  if (left.is_number() && left.number() > 0) {
    const int first = to.below(static_cast<int>(std::min<std::int64_t>(left.number(), 9)));
    start[axis] = first;
    left = left - first;
    if (left.number() > 1 && to.below(2) == 0) left = left - 1;
  }
  step[static_cast<std::size_t>(axis)] = stride;
  shape[axis] = ceil_div(left, stride);
  return to.build.slice(x, start, step, shape);
}

inline Value unfolded(Writer& to, Value x) {
  const Shape shape = to.build.shape(x);
  const int axis = to.below(shape.size());
  const int step = 1 + to.below(3);
  if (!shape[axis].is_number() || shape[axis].number() < 1) {
    return to.build.unfold(x, axis, ceil_div(shape[axis], step), 1, step, 1);
  }
  const auto extent = static_cast<int>(std::min<std::int64_t>(shape[axis].number(), 100));
  const int size = 1 + to.below(std::min(extent, 4));
  const int most = size == 1 ? 1 : (extent - 1) / (size - 1);
  const int dilation = 1 + to.below(std::max(1, std::min(most, 3)));
  const std::int64_t reach = std::int64_t{dilation} * (size - 1) + 1;
  return to.build.unfold(x, axis, (shape[axis].number() - reach) / step + 1, size, step, dilation);
}

inline Value expanded(Writer& to, Value x) {
  Shape shape = to.build.shape(x);
  const int axis = to.below(shape.size());
  if (!same(shape[axis], Extent(1))) {
    shape[axis] = 1;
    const Known facts = to.known(x);
    const AxisList steps(static_cast<std::size_t>(shape.size()), 1);
    const Extent extent = to.build.shape(x)[axis];
    if (!extent.is_number() || extent.number() < 1) return to.build.flip(x, {axis});
    x = to.build.slice(x, filled(shape.size(), 0), steps, shape);
    to.add(x, facts);
  }
  Shape bigger = shape;
  bigger[axis] = to.extent();
  return Writer::fits(bigger) ? to.build.expand(x, bigger) : x;
}

inline Value moved(Writer& to, Op op, Value x) {
  const Shape shape = to.build.shape(x);
  AxisList axes;
  for (int axis = 0; axis < shape.size(); ++axis) axes.push_back(axis);
  switch (op) {
    case Op::reshape:
      return to.build.reshape(x, shape.empty() ? Shape{1} : Shape{numel(shape)});
    case Op::permute:
      for (int i = shape.size(); i > 1; --i) {
        std::swap(axes[static_cast<std::size_t>(i - 1)],
                  axes[static_cast<std::size_t>(to.below(i))]);
      }
      return to.build.permute(x, axes);
    case Op::expand:
      return expanded(to, x);
    case Op::pad:
      return padded(to, x);
    case Op::slice:
      return sliced(to, x);
    case Op::unfold:
      return unfolded(to, x);
    default:
      return to.build.flip(x, {to.below(shape.size())});
  }
}

inline void write_movement(Writer& to, const Step& step) {
  const Value x = to.operand(step.dtype, step.rank, false);
  finish(to, step.op, moved(to, step.op, x), {x});
}

/// Indices of some shape that lie in an axis of `extent`, which is not 0, from either end.
inline Value indices(Writer& to, std::int64_t extent, int rank) {
  const Value any = to.operand(i64, to.shape(rank), true);
  const Value bound = to.build.constant_like(any, extent);
  const Value inside = to.build.elementwise(Op::remainder, {any, bound});
  return to.below(3) == 0 ? to.build.sub(inside, bound) : inside;
}

inline void write_indexed(Writer& to, const Step& step) {
  Builder& build = to.build;
  Value x = to.operand(step.dtype, step.rank, false);
  int axis = to.below(step.rank);
  Shape shape = build.shape(x);
  if (!shape[axis].is_number() || shape[axis].number() == 0) {
    shape[axis] = 5;
    x = to.input(step.dtype, shape);
  }
  const Value at = indices(to, shape[axis].number(), to.below(3));
  Shape taken;
  for (int i = 0; i < shape.size(); ++i) {
    if (i != axis) taken.push_back(shape[i]);
    for (const Extent& extent : build.shape(at)) {
      if (i == axis) taken.push_back(extent);
    }
  }
  if (!Writer::fits(taken)) return;
  if (step.op == Op::gather) return finish(to, step.op, build.gather(x, at, axis), {x});
  const Value y = to.operand(step.dtype, taken, false);
  const double count = number_of_elements(build.shape(at));
  finish(to, step.op, build.scatter_add(x, at, y, axis), {x, y}, count);
}

inline void write_concatenate(Writer& to, const Step& step) {
  const Value x = to.operand(step.dtype, step.rank, false);
  const int axis = to.below(step.rank);
  const int count = to.below(5) == 0 ? 12 : 2 + to.below(3);
  Vector<Value> parts{x};
  Known facts = to.known(x);
  for (int i = 1; i < count; ++i) {
    Shape shape = to.build.shape(x);
    shape[axis] = to.extent();
    if (to.below(3) == 0 || !Writer::fits(shape)) shape = to.build.shape(x);
    parts.push_back(to.operand(step.dtype, shape, false));
    facts.exact &= to.known(parts.back()).exact;
    facts.bound = std::max(facts.bound, to.known(parts.back()).bound);
  }
  const Value result = to.build.concatenate(parts, axis);
  if (Writer::fits(to.build.shape(result))) to.add(result, facts);
}

inline void write_product(Writer& to, const Step& step) {
  const Value x = to.operand(step.dtype, step.rank, false);
  const Shape from = to.build.shape(x);
  DotAxes axes;
  Shape other;
  double count = 1;
  for (int axis = 0; axis < from.size(); ++axis) {
    const int role = to.below(3);
    if (role == 0) continue;
    (role == 1 ? axes.lhs_batch : axes.lhs_contract).push_back(axis);
    (role == 1 ? axes.rhs_batch : axes.rhs_contract).push_back(other.size());
    other.push_back(from[axis]);
    if (role == 2) count *= number_of_elements({from[axis]});
  }
  if (to.below(2) == 0 && other.size() < most_axes) other.push_back(to.extent());
  const Value y = to.operand(step.dtype, other, false);
  const Value result = to.build.dot_general(x, y, axes);
  if (Writer::fits(to.build.shape(result))) finish(to, step.op, result, {x, y}, count);
}

}  // namespace random_program::detail
