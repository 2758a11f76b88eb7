#pragma once

#include <sinter/autodiff/gradient/movement_rules.hpp>
#include <sinter/base/container/optional.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of {

SINTER_INLINE Value reshape(const Backward& at, std::size_t) {
  return at.builder.reshape(at.gradient(), at.type(0).shape);
}

SINTER_INLINE Value permute(const Backward& at, std::size_t) {
  const AxisList& axes = numbers(at.node, "axes");
  AxisList inverse(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    inverse[static_cast<std::size_t>(axes[i])] = static_cast<std::int64_t>(i);
  }
  return at.builder.permute(at.gradient(), inverse);
}

SINTER_INLINE Value expand(const Backward& at, std::size_t) {
  const Shape from = at.type(0).shape, &to = at.node.results[0].shape;
  AxisList repeated;
  for (int axis = 0; axis < to.size(); ++axis) {
    if (!same(from[axis], to[axis])) repeated.push_back(axis);
  }
  return at.builder.reshape(at.builder.reduce(Op::sum, at.gradient(), repeated), from);
}

SINTER_INLINE Value pad(const Backward& at, std::size_t) {
  const Shape shape = at.type(0).shape;
  const AxisList step(static_cast<std::size_t>(shape.size()), 1);
  return at.builder.slice(at.gradient(), attribute<Shape>(at.node, "low"), step, shape);
}

namespace detail {

SINTER_INLINE Extent numel(const Shape& shape, int begin, int end) {
  Extent result = 1;
  for (int axis = begin; axis < end; ++axis) result *= shape[axis];
  return result;
}

// `step` - 1 zeros after each element along `axis`. The other axes are merged, so that one more
// fits under max_rank.
SINTER_INLINE Value interleave_zeros(Builder& build, Value x, int axis, std::int64_t step) {
  Shape shape = build.shape(x);
  const Extent before = numel(shape, 0, axis), after = numel(shape, axis + 1, shape.size());
  const Value apart = build.reshape(x, {before, shape[axis], 1, after});
  const Value spaced = build.pad(apart, {0, 0, 0, 0}, {0, 0, step - 1, 0}, constant(0));
  shape[axis] *= step;
  return build.reshape(spaced, shape);
}

}  // namespace detail

// The elements that were taken go back to their places, zeros go everywhere else. Zeros follow the
// last one of a step too, so the padding may reach past the end, and what does is cut off.
SINTER_INLINE Value slice(const Backward& at, std::size_t) {
  Builder& build = at.builder;
  const Shape from = at.type(0).shape, &start = attribute<Shape>(at.node, "start");
  const AxisList& step = numbers(at.node, "step");
  Value gradient = at.gradient();
  Shape high, origin;
  bool overhangs = false;
  for (int axis = 0; axis < from.size(); ++axis) {
    const std::int64_t stride = step[static_cast<std::size_t>(axis)];
    const Extent taken = at.node.results[0].shape[axis];
    if (stride > 1) gradient = detail::interleave_zeros(build, gradient, axis, stride);
    high.push_back(stride > 1 ? from[axis] - start[axis] : from[axis] - start[axis] - taken);
    origin.push_back(0);
    overhangs |= stride > 1;
  }
  const Value padded = build.pad(gradient, start, high, constant(0));
  if (!overhangs) return padded;
  return build.slice(padded, origin, AxisList(step.size(), 1), from);
}

namespace detail {

// Pads `axis` by `low` in front, and to the extent of `from` behind, where what reaches past it is
// cut off.
SINTER_INLINE Value place_along(Builder& build, Value x, int axis, Extent low, const Shape& from) {
  Shape before, after, origin;
  for (int i = 0; i < from.size(); ++i) {
    before.push_back(i == axis ? low : Extent(0));
    after.push_back(i == axis ? from[axis] : Extent(0)), origin.push_back(0);
  }
  const Value padded = build.pad(x, before, after, constant(0));
  const AxisList ones(static_cast<std::size_t>(from.size()), 1);
  return build.slice(padded, origin, ones, from);
}

// Window j begins at element j * step, so that element q * step + r of the input is element
// t * step + r of window q - t: for each t, the elements [t * step, (t + 1) * step) of all windows
// are adjacent. That takes size / step terms, where one for each element of the window takes size.
SINTER_INLINE Value fold_by_step(const Backward& at, int axis, std::int64_t size,
                                 std::int64_t step) {
  Builder& build = at.builder;
  const Shape from = at.type(0).shape, &to = at.node.results[0].shape;
  const int last = to.size() - 1;
  const std::int64_t terms = (size + step - 1) / step;
  AxisList order;
  for (int i = 0; i < last; ++i) {
    order.push_back(i);
    if (i == axis) order.push_back(last);
  }
  Value windows = build.permute(at.gradient(), order);
  Shape none, high, start, taken = build.shape(windows), merged = from;
  for (int i = 0; i <= last; ++i) none.push_back(0), high.push_back(0), start.push_back(0);
  high[axis + 1] = terms * step - size;
  if (terms * step != size) windows = build.pad(windows, none, high, constant(0));
  taken[axis + 1] = step, merged[axis] = to[axis] * step;
  const AxisList ones(static_cast<std::size_t>(last) + 1, 1);
  Optional<Value> sum;
  for (std::int64_t t = 0; t < terms; ++t) {
    start[axis + 1] = t * step;
    const Value part = build.reshape(build.slice(windows, start, ones, taken), merged);
    const Value placed = place_along(build, part, axis, t * step, from);
    sum = sum ? build.add(*sum, placed) : placed;
  }
  return *sum;
}

}  // namespace detail

// Element k of each window goes back to its place: a strided slice of the input for each k.
SINTER_INLINE Value unfold(const Backward& at, std::size_t) {
  Builder& build = at.builder;
  const Shape from = at.type(0).shape, &to = at.node.results[0].shape;
  const auto axis = static_cast<int>(number(at.node, "axis"));
  const std::int64_t size = number(at.node, "size"), step = number(at.node, "step");
  const std::int64_t dilation = number(at.node, "dilation");
  if (step > 1 && dilation == 1) return detail::fold_by_step(at, axis, size, step);
  const AxisList ones(static_cast<std::size_t>(to.size()), 1);
  Shape taken = to, zeros = from, high = from;
  taken[to.size() - 1] = 1;
  for (int i = 0; i < from.size(); ++i) zeros[i] = high[i] = 0;
  Optional<Value> sum;
  for (std::int64_t k = 0; k < size; ++k) {
    Shape start, low = zeros, apart = from;
    for (int i = 0; i + 1 < to.size(); ++i) start.push_back(0);
    start.push_back(k);
    apart[axis] = to[axis];
    Value part = build.reshape(build.slice(at.gradient(), start, ones, taken), apart);
    if (step > 1) {
      part = detail::interleave_zeros(build, part, axis, step);
      part = detail::place_along(build, part, axis, k * dilation, from);
    } else {
      low[axis] = k * dilation, high[axis] = from[axis] - to[axis] - k * dilation;
      part = build.pad(part, low, high, constant(0));
    }
    sum = sum ? build.add(*sum, part) : part;
  }
  return *sum;
}

SINTER_INLINE Value flip(const Backward& at, std::size_t) {
  return at.builder.flip(at.gradient(), numbers(at.node, "axes"));
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of
