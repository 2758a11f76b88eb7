#pragma once

#include <algorithm>  // std::swap
#include <string>     // std::string

#include <sinter/trace/core/recorder_scope.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/repeat.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// Repeats each element of `axis`, or the axis as a whole, `count` times: expands a new axis and
// merges it.
SINTER_INLINE Tensor repeated(const Tensor& x, int axis, Extent count, bool each, Where where) {
  const Extent size = x.shape()[axis];
  if (same(count, Extent(1))) return x;
  Shape to = x.shape(), lifted, wide;
  to[axis] = count;
  if (same(size, Extent(1))) return expand({x, where}, to);
  if (x.ndim() == max_rank) {  // no room for one more axis
    Extent before = 1, after = 1;
    for (int i = 0; i < axis; ++i) before *= x.shape()[i];
    for (int i = axis + 1; i < x.ndim(); ++i) after *= x.shape()[i];
    const Tensor flat = reshape({x, where}, {before, size, after});
    const Tensor wider = repeated(flat, 1, count, each, where);
    to[axis] = size * count;
    return reshape({wider, where}, to);
  }
  for (int i = 0; i < x.ndim(); ++i) {
    if (i == axis && !each) lifted.push_back(1), wide.push_back(count);
    lifted.push_back(x.shape()[i]), wide.push_back(x.shape()[i]);
    if (i == axis && each) lifted.push_back(1), wide.push_back(count);
  }
  const Tensor apart = reshape({x, where}, lifted);
  const Tensor wider = expand({apart, where}, wide);  // throws if the size overflows
  to[axis] = size * count;
  return reshape({wider, where}, to);
}

[[noreturn]] SINTER_INLINE void throw_counts(std::string_view op, const Operand& x,
                                             const Shape& counts, std::string what) {
  throw ShapeError({.op = op,
                    .what = what,
                    .facts = {{"x", to_string(x)}, {"counts", to_string(counts)}},
                    .rule = "one count, at least 0, for each axis of the result",
                    .fix = "write 1 for axes that stay as they are; tile takes fewer counts",
                    .where = x.where});
}

SINTER_INLINE Tensor repeated_all(const Operand& x, const Shape& counts, std::string_view op) {
  Tensor result = x.tensor();
  if (counts.size() < result.ndim(x.where)) {
    throw_counts(op, x, counts, "there are fewer counts than axes");
  }
  for (const Extent count : counts) {
    if (is_less(count, 0, x.where)) throw_counts(op, x, counts, "a count is negative");
  }
  Shape shape;
  for (int i = result.ndim(); i < counts.size(); ++i) shape.push_back(1);
  for (const Extent extent : result.shape()) shape.push_back(extent);
  result = reshape({result, x.where}, shape);
  for (int i = 0; i < counts.size(); ++i) result = repeated(result, i, counts[i], false, x.where);
  return result;
}

}  // namespace detail

SINTER_INLINE Tensor repeat(Operand x, Shape counts) {
  const detail::PublicCall call("repeat", x.where);
  return detail::repeated_all(x, counts, "repeat");
}

SINTER_INLINE Tensor tile(Operand x, Shape counts) {
  const detail::PublicCall call("tile", x.where);
  Shape counted;
  for (int i = counts.size(); i < x.shape().size(); ++i) counted.push_back(1);
  for (const Extent count : counts) counted.push_back(count);
  return detail::repeated_all(x, counted, "tile");
}

SINTER_INLINE Tensor repeat_interleave(Operand x, Extent count, std::optional<int> axis) {
  const detail::PublicCall call("repeat_interleave", x.where);
  if (detail::is_less(count, 0, x.where)) {
    throw ValueError({.op = "repeat_interleave",
                      .what = "the count is negative",
                      .facts = {{"x", to_string(x)}, {"count", to_string(count)}},
                      .rule = "count >= 0",
                      .fix = "pass the number of repetitions",
                      .where = x.where});
  }
  const Tensor tensor = axis ? detail::as_rows(x, *axis) : reshape(x, {-1});
  const int at = detail::axis_of(axis.value_or(0), tensor, "repeat_interleave", x.where);
  return detail::repeated(tensor, at, count, true, x.where);
}

SINTER_INLINE Tensor broadcast_to(Operand x, Shape shape) {
  const detail::PublicCall call("broadcast_to", x.where);
  return detail::expand_for("broadcast_to", x, shape);
}

SINTER_INLINE std::vector<Tensor> broadcast_tensors(detail::OperandList tensors) {
  const detail::PublicCall call("broadcast_tensors", tensors.where);
  const Shape shape = detail::broadcast_shapes("broadcast_tensors", tensors.list);
  std::vector<Tensor> result;
  for (const Operand& one : tensors.list) {
    result.push_back(expand({one.tensor(), tensors.where}, shape));
  }
  return result;
}

SINTER_INLINE std::vector<Tensor> meshgrid(detail::OperandList vectors, std::string_view indexing) {
  const detail::PublicCall call("meshgrid", vectors.where);
  const Where where = vectors.where;
  detail::require_tensors(vectors, "meshgrid");
  if (indexing != "ij" && indexing != "xy") {
    throw ValueError({.op = "meshgrid",
                      .what = "there is no such indexing",
                      .facts = {{"indexing", std::string(indexing)}},
                      .rule = "\"ij\": axis i is vector i; \"xy\": the first two are exchanged",
                      .fix = "leave it out for \"ij\"",
                      .where = where});
  }
  const auto count = static_cast<int>(vectors.list.size());
  std::vector<int> axes(vectors.list.size());
  for (int i = 0; i < count; ++i) axes[static_cast<std::size_t>(i)] = i;
  if (indexing == "xy" && count >= 2) std::swap(axes[0], axes[1]);
  Shape shape;
  for (int i = 0; i < count; ++i) shape.push_back(1);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Operand& one = vectors.list[i];
    if (one.shape().size() > 1) {
      throw ShapeError({.op = "meshgrid",
                        .what = "a tensor is not a vector",
                        .facts = {{detail::text("tensor ", i), to_string(one)}},
                        .rule = "vectors, or tensors of rank 0, which count as vectors of 1",
                        .fix = "flatten it first",
                        .where = where});
    }
    shape[axes[i]] = numel(one.shape());
  }
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Shape lifted;
    for (int axis = 0; axis < count; ++axis) lifted.push_back(axis == axes[i] ? shape[axis] : 1);
    const Tensor apart = reshape({vectors.list[i].tensor(), where}, lifted);
    result.push_back(expand({apart, where}, shape));
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI
