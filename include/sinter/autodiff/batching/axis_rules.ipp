#pragma once

#include <utility>  // std::move

#include <sinter/autodiff/batching/axis_rules.hpp>
#include <sinter/base/container/vector.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of {

namespace detail {

SINTER_INLINE Vector<Batched> one(Value value) { return {{value, true}}; }

SINTER_INLINE bool may_fault(const Batching& at) {
  const bool divides = at.node.op == Op::floor_divide || at.node.op == Op::remainder;
  return divides && !is_floating(at.node.results[0].dtype);
}

SINTER_INLINE Shape behind(Extent first, const Shape& shape) {
  Shape result{first};
  for (const Extent& extent : shape) result.push_back(extent);
  return result;
}

}  // namespace detail

SINTER_INLINE Vector<Batched> elementwise(const Batching& at) {
  Node node = at.bare_node();
  for (std::size_t i = 0; i < at.inputs.size(); ++i) node.inputs.push_back(at.batched(i));
  if (detail::may_fault(at)) node.inputs[1] = at.where_active(node.inputs[1], 1);
  node.results = at.node.results;  // a cast names its dtype
  return detail::one(at.builder.append(std::move(node)));
}

SINTER_INLINE Vector<Batched> reduction(const Batching& at) {
  const AxisList axes = behind_count(numbers(at.node, "axes"));
  return detail::one(at.builder.reduce(at.node.op, at.batched(0), axes));
}

SINTER_INLINE Vector<Batched> row(const Batching& at) {
  const std::int64_t axis = number(at.node, "axis") + 1;
  if (at.node.op == Op::argsort) {
    return detail::one(at.builder.argsort(at.batched(0), axis, number(at.node, "descending") != 0));
  }
  return detail::one(at.builder.cumulate(at.node.op, at.batched(0), axis));
}

SINTER_INLINE Vector<Batched> reshape(const Batching& at) {
  return detail::one(at.builder.reshape(at.batched(0), at.with_count(at.node.results[0].shape)));
}

SINTER_INLINE Vector<Batched> permute(const Batching& at) {
  AxisList axes = behind_count(numbers(at.node, "axes"));
  axes.insert(axes.begin(), 0);
  return detail::one(at.builder.permute(at.batched(0), axes));
}

SINTER_INLINE Vector<Batched> expand(const Batching& at) {
  return detail::one(at.builder.expand(at.batched(0), at.with_count(at.node.results[0].shape)));
}

SINTER_INLINE Vector<Batched> pad(const Batching& at) {
  const Shape low = detail::behind(0, attribute<Shape>(at.node, "low"));
  const Shape high = detail::behind(0, attribute<Shape>(at.node, "high"));
  const Constant value = attribute<Constant>(at.node, "value");
  return detail::one(at.builder.pad(at.batched(0), low, high, value));
}

SINTER_INLINE Vector<Batched> slice(const Batching& at) {
  const Shape start = detail::behind(0, attribute<Shape>(at.node, "start"));
  AxisList step = numbers(at.node, "step");
  step.insert(step.begin(), 1);
  const Shape shape = at.with_count(at.node.results[0].shape);
  return detail::one(at.builder.slice(at.batched(0), start, step, shape));
}

SINTER_INLINE Vector<Batched> unfold(const Batching& at) {
  const std::int64_t axis = number(at.node, "axis");
  at.with_count(at.node.results[0].shape);  // throws where the window has no room
  const Extent windows = at.node.results[0].shape[static_cast<int>(axis)];
  return detail::one(at.builder.unfold(at.batched(0), axis + 1, windows, number(at.node, "size"),
                                       number(at.node, "step"), number(at.node, "dilation")));
}

SINTER_INLINE Vector<Batched> flip(const Batching& at) {
  return detail::one(at.builder.flip(at.batched(0), behind_count(numbers(at.node, "axes"))));
}

SINTER_INLINE Vector<Batched> concatenate(const Batching& at) {
  Vector<Value> parts;
  for (std::size_t i = 0; i < at.inputs.size(); ++i) parts.push_back(at.batched(i));
  return detail::one(at.builder.concatenate(parts, number(at.node, "axis") + 1));
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of
