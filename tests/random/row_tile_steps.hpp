#pragma once
// Products with rows before and behind them, of sizes at which they share a kernel: norms,
// attention and what is like them, causal or not.

#include <limits>

#include "steps.hpp"

namespace random_program::detail {

/// `y` reduced along its last axis, in its shape.
inline Value row_value(Writer& to, Op op, Value y) {
  Shape shape = to.build.shape(y);
  const std::int64_t last = shape.size() - 1;
  const Value number = to.build.reduce(op, y, {last});
  Shape ones = shape;
  ones[static_cast<int>(last)] = 1;
  return to.build.expand(to.build.reshape(number, ones), shape);
}

/// What is done to the rows of `y`, whose elements are small: nothing, or a form of norm.
inline Value rows_of(Writer& to, Value y, int kind) {
  Builder& build = to.build;
  const Value one = build.constant_like(y, 1);
  if (kind == 0) return y;
  if (kind == 1) return build.sub(y, row_value(to, Op::max, y));
  if (kind == 2) return build.div(y, build.add(row_value(to, Op::sum, build.mul(y, y)), one));
  const Value weights = build.elementwise(Op::exp, {build.sub(y, row_value(to, Op::max, y))});
  return build.div(weights, row_value(to, Op::sum, weights));
}

/// Keeps of each row of `y` what is not behind the diagonal, or leaves all in place.
inline Value masked(Writer& to, Value y, bool causal) {
  Builder& build = to.build;
  if (!causal) return y;
  const Shape shape = build.shape(y);
  const Value row = build.iota({i64, shape}, shape.size() - 2);
  const Value column = build.iota({i64, shape}, shape.size() - 1);
  const Value least = build.constant_like(y, -std::numeric_limits<double>::infinity());
  return build.select(build.elementwise(Op::ge, {row, column}), y, least);
}

/// The matrices of `x` times those of `y`, or times those of `y` transposed, each batch by itself.
inline Value matrices(Writer& to, Value x, Value y, bool transposed) {
  const int last = to.build.shape(x).size() - 1;
  DotAxes axes;
  for (int axis = 0; axis + 1 < last; ++axis) {
    axes.lhs_batch.push_back(axis);
    axes.rhs_batch.push_back(axis);
  }
  axes.lhs_contract.push_back(last);
  axes.rhs_contract.push_back(transposed ? last : last - 1);
  return to.build.dot_general(x, y, axes);
}

inline void write_block(Writer& to, const Step& step) {
  const Extent sizes[]{17, 33, 50, to.symbol(1)};
  const Extent rows = sizes[to.below(4)];
  const Extent depth = to.below(2) == 0 ? Extent(5) : Extent(16);
  const Extent columns = to.below(3) == 0 ? rows : Extent(1 + to.below(40));
  const bool batched = to.below(3) == 0, transposed = to.below(2) == 0;
  const auto input = [&](Extent high, Extent wide) {
    return to.input(step.dtype, batched ? Shape{2, high, wide} : Shape{high, wide});
  };
  const Value x = rows_of(to, input(rows, depth), to.below(4));
  const Value w = transposed ? input(columns, depth) : input(depth, columns);
  Value y = to.build.elementwise(Op::tanh, {matrices(to, x, w, transposed)});
  const int kind = to.below(4);
  y = rows_of(to, masked(to, y, kind == 3 && to.below(2) == 0), kind);
  to.add(y, {false, 2});
  if (to.below(2) != 0) return;
  const Value mixed = matrices(to, y, input(columns, 1 + to.below(9)), false);
  finish(to, Op::dot_general, mixed, {y, y}, number_of_elements({columns}));
}

}  // namespace random_program::detail
