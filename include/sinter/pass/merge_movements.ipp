#pragma once

#include <algorithm>  // std::is_sorted
#include <array>      // std::array
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/pass/match.hpp>
#include <sinter/pass/merge_movements.hpp>
#include <sinter/symbol/extent/proof.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

namespace detail {

SINTER_INLINE Vector<Value> merge_reshape(Builder& builder, const Node& node) {
  if (node.op != Op::reshape) return {};
  const Value x = node.inputs[0];
  const Shape& shape = node.results[0].shape;
  if (same(builder.shape(x), shape)) return {x};
  const auto source = input_of(builder, x, Op::reshape);
  return source ? Vector{builder.reshape(*source, shape)} : Vector<Value>{};
}

SINTER_INLINE Vector<Value> merge_expand(Builder& builder, const Node& node) {
  if (node.op != Op::expand) return {};
  const Value x = node.inputs[0];
  const Shape& shape = node.results[0].shape;
  if (same(builder.shape(x), shape)) return {x};
  const auto source = input_of(builder, x, Op::expand);
  return source ? Vector{builder.expand(*source, shape)} : Vector<Value>{};
}

SINTER_INLINE Vector<Value> merge_permute(Builder& builder, const Node& node) {
  if (node.op != Op::permute) return {};
  const AxisList& axes = numbers(node, "axes");
  if (std::is_sorted(axes.begin(), axes.end())) return {node.inputs[0]};
  const auto source = input_of(builder, node.inputs[0], Op::permute);
  if (!source) return {};
  const AxisList inner = numbers(maker(builder, node.inputs[0]), "axes");
  AxisList both;
  for (const std::int64_t axis : axes) both.push_back(inner[static_cast<std::size_t>(axis)]);
  return {builder.permute(*source, both)};
}

// Axes that are flipped twice are not flipped, and those of extent 1 need not be.
SINTER_INLINE Vector<Value> merge_flip(Builder& builder, const Node& node) {
  if (node.op != Op::flip) return {};
  const Value x = node.inputs[0];
  const auto source = input_of(builder, x, Op::flip);
  const AxisList& outer = numbers(node, "axes");
  const AxisList inner = source ? numbers(maker(builder, x), "axes") : AxisList{};
  AxisList left;
  for (std::int64_t axis = 0; axis < builder.shape(x).size(); ++axis) {
    const bool moves = !same(builder.shape(x)[static_cast<int>(axis)], Extent(1));
    if (moves && contains(outer, axis) != contains(inner, axis)) left.push_back(axis);
  }
  const Value from = source.value_or(x);
  if (left.empty()) return {from};
  if (!source && left == outer) return {};
  return {builder.flip(from, left)};
}

SINTER_INLINE Shape sum_of(const Shape& a, const Shape& b) {
  Shape result;
  for (int axis = 0; axis < a.size(); ++axis) result.push_back(a[axis] + b[axis]);
  return result;
}

SINTER_INLINE Vector<Value> merge_pad(Builder& builder, const Node& node) {
  if (node.op != Op::pad) return {};
  const Shape &low = attribute<Shape>(node, "low"), &high = attribute<Shape>(node, "high");
  if (all_are(low, 0) && all_are(high, 0)) return {node.inputs[0]};
  const auto source = input_of(builder, node.inputs[0], Op::pad);
  if (!source) return {};
  const Node& inner = maker(builder, node.inputs[0]);
  const auto value = attribute<Constant>(node, "value");
  if (attribute<Constant>(inner, "value") != value) return {};
  const Shape lows = sum_of(low, attribute<Shape>(inner, "low"));
  const Shape highs = sum_of(high, attribute<Shape>(inner, "high"));
  return {builder.pad(*source, lows, highs, value)};
}

SINTER_INLINE bool takes_all(const Node& slice) {
  const AxisList& step = numbers(slice, "step");
  return all_of(step, [](std::int64_t stride) { return stride == 1; });
}

SINTER_INLINE Vector<Value> merge_slice(Builder& builder, const Node& node) {
  if (node.op != Op::slice) return {};
  const Value x = node.inputs[0];
  const Shape &start = attribute<Shape>(node, "start"), &shape = node.results[0].shape;
  if (takes_all(node) && all_are(start, 0) && same(builder.shape(x), shape)) return {x};
  const auto source = input_of(builder, x, Op::slice);
  if (!source) return {};
  const Node& inner = maker(builder, x);
  AxisList step = numbers(inner, "step");
  Shape from = attribute<Shape>(inner, "start");
  for (int axis = 0; axis < from.size(); ++axis) {
    auto& stride = step[static_cast<std::size_t>(axis)];
    from[axis] += start[axis] * stride;
    stride *= numbers(node, "step")[static_cast<std::size_t>(axis)];
  }
  return {builder.slice(*source, from, step, shape)};
}

SINTER_INLINE Vector<Value> slice_of_pad(Builder& builder, const Node& node) {
  if (node.op != Op::slice || !takes_all(node)) return {};
  const auto source = input_of(builder, node.inputs[0], Op::pad);
  if (!source || !same(builder.shape(*source), node.results[0].shape)) return {};
  const Shape& low = attribute<Shape>(maker(builder, node.inputs[0]), "low");
  return same(low, attribute<Shape>(node, "start")) ? Vector{*source} : Vector<Value>{};
}

// Of one part, if the slice is known to lie in it.
SINTER_INLINE Vector<Value> slice_of_concatenate(Builder& builder, const Node& node) {
  if (node.op != Op::slice) return {};
  const Node& source = maker(builder, node.inputs[0]);
  if (source.op != Op::concatenate) return {};
  const auto axis = static_cast<int>(number(source, "axis"));
  const std::int64_t step = numbers(node, "step")[static_cast<std::size_t>(axis)];
  const Shape shape = node.results[0].shape;
  Shape start = attribute<Shape>(node, "start");
  const Extent reach = (shape[axis] - 1) * step + 1;
  if (!proven_less(0, shape[axis])) return {};
  for (const Value part : source.inputs) {
    const Extent extent = builder.shape(part)[axis];
    if (proven_less_equal(0, start[axis]) && proven_less_equal(start[axis] + reach, extent)) {
      return {builder.slice(part, start, numbers(node, "step"), shape)};
    }
    start[axis] -= extent;
  }
  return {};
}

// A list that grows in each step of an unrolled loop is not written out for every step.
inline constexpr std::size_t most_merged_parts = 64;

// Parts that are concatenations along the same axis give their own parts; empty ones none.
SINTER_INLINE Vector<Value> merge_concatenate(Builder& builder, const Node& node) {
  if (node.op != Op::concatenate) return {};
  const auto axis = number(node, "axis");
  Vector<Value> parts;
  bool changes = false;
  for (const Value part : node.inputs) {
    const Node& inner = maker(builder, part);
    const bool nested = inner.op == Op::concatenate && number(inner, "axis") == axis &&
                        parts.size() + inner.inputs.size() <= most_merged_parts;
    const bool empty = same(builder.shape(part)[static_cast<int>(axis)], Extent(0));
    changes |= nested || empty;
    if (nested) {
      parts.insert(parts.end(), inner.inputs.begin(), inner.inputs.end());
    } else if (!empty) {
      parts.push_back(part);
    }
  }
  if (!changes) return {};
  return {parts.empty() ? node.inputs[0] : builder.concatenate(parts, axis)};
}

inline constexpr std::array movement_rules{
    Rule{"reshape(reshape(x)) -> reshape(x)", merge_reshape},
    Rule{"expand(expand(x)) -> expand(x)", merge_expand},
    Rule{"permute(permute(x)) -> permute(x)", merge_permute},
    Rule{"flip(flip(x)) -> x", merge_flip},
    Rule{"pad(pad(x)) -> pad(x)", merge_pad},
    Rule{"slice(slice(x)) -> slice(x)", merge_slice},
    Rule{"slice(pad(x)) -> x", slice_of_pad},
    Rule{"slice(concatenate(x, y)) -> slice(x)", slice_of_concatenate},
    Rule{"concatenate(concatenate(x, y), z) -> concatenate(x, y, z)", merge_concatenate},
};

}  // namespace detail

SINTER_INLINE Graph merge_movements(Graph graph) {
  return rewrite(std::move(graph), detail::movement_rules);
}

}  // namespace sinter::inline SINTER_ABI::detail::pass
