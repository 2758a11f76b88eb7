#pragma once

#include <array>    // std::array
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/pass/factor_sums.hpp>
#include <sinter/pass/match.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

namespace detail {

// Those of `axes` along which `x` is one element repeated.
SINTER_INLINE AxisList repeated_axes(const Builder& builder, Value x, const AxisList& axes) {
  AxisList result;
  const auto from = input_of(builder, x, Op::expand);
  if (!from) return result;
  const Shape &narrow = builder.shape(*from), &shape = builder.shape(x);
  for (const std::int64_t axis : axes) {
    const auto at = static_cast<int>(axis);
    if (same(narrow[at], Extent(1)) && !same(shape[at], Extent(1))) result.push_back(axis);
  }
  return result;
}

// `axes` among those that are left without `gone`.
SINTER_INLINE AxisList axes_left(const AxisList& axes, const AxisList& gone) {
  AxisList result;
  for (const std::int64_t axis : axes) {
    if (contains(gone, axis)) continue;
    std::int64_t position = axis;
    for (const std::int64_t other : gone) position -= other < axis ? 1 : 0;
    result.push_back(position);
  }
  return result;
}

// The sum over `axes` of `x` without `gone`, along which it repeats.
SINTER_INLINE Value summed(Builder& builder, Value x, const AxisList& gone, const AxisList& axes) {
  if (!gone.empty()) {
    const Value from = maker(builder, x).inputs[0];
    const Shape narrow = builder.shape(from), shape = builder.shape(x);
    Shape kept, wide;
    for (int axis = 0; axis < shape.size(); ++axis) {
      if (contains(gone, axis)) continue;
      kept.push_back(narrow[axis]);
      wide.push_back(shape[axis]);
    }
    x = builder.expand(builder.reshape(from, kept), wide);
  }
  return axes.empty() ? x : builder.reduce(Op::sum, x, axes_left(axes, gone));
}

// The sum of x * y over `axes`, where x repeats along `of_x`, and y along `of_y`.
SINTER_INLINE Value factored(Builder& builder, Value x, const AxisList& of_x, Value y,
                             const AxisList& of_y, const AxisList& axes) {
  const Value product = builder.mul(summed(builder, x, of_x, of_y), summed(builder, y, of_y, of_x));
  AxisList gone = of_x;
  gone.insert(gone.end(), of_y.begin(), of_y.end());
  const AxisList left = axes_left(axes, gone);
  return left.empty() ? product : builder.reduce(Op::sum, product, left);
}

SINTER_INLINE Vector<Value> factor_out(Builder& builder, const Node& node) {
  if (node.op != Op::sum || maker(builder, node.inputs[0]).op != Op::mul) return {};
  const DType dtype = builder.dtype(node.inputs[0]);
  if (dtype != f32 && dtype != f64) return {};
  const AxisList axes = numbers(node, "axes");
  const Value x = maker(builder, node.inputs[0]).inputs[0];
  const Value y = maker(builder, node.inputs[0]).inputs[1];
  const AxisList of_x = repeated_axes(builder, x, axes), of_y = repeated_axes(builder, y, axes);
  if (of_x.size() == axes.size()) return {factored(builder, x, of_x, y, {}, axes)};
  if (of_y.size() == axes.size()) return {factored(builder, y, of_y, x, {}, axes)};
  const bool apart = none_of(of_x, [&](std::int64_t axis) { return contains(of_y, axis); });
  if (apart && !of_x.empty() && !of_y.empty()) return {factored(builder, x, of_x, y, of_y, axes)};
  return {};
}

inline constexpr std::array sum_rules{
    Rule{"sum(a * b) -> a * sum(b)", factor_out},
};

}  // namespace detail

SINTER_INLINE Graph factor_sums(Graph graph) {
  return rewrite(std::move(graph), detail::sum_rules);
}

}  // namespace sinter::inline SINTER_ABI::detail::pass
