#pragma once

#include <algorithm>  // std::count_if
#include <limits>     // std::numeric_limits

#include <sinter/trace/cast.hpp>
#include <sinter/trace/create.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/index.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/record.hpp>
#include <sinter/trace/recorder.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE Tensor as_indices(const Operand& indices, std::string_view op) {
  if (is_integer(indices.type().dtype)) return cast(indices, i64);
  throw DTypeError({.op = std::string(op),
                    .what = "indices are not integers",
                    .facts = {{"indices", to_string(indices)}},
                    .rule = "indices are of an integer dtype",
                    .fix = "cast them: indices.to(i64)",
                    .where = indices.where,
                    .see = "indexing"});
}

SINTER_INLINE bool takes_axis(const Index& index) {
  return !std::holds_alternative<NewAxis>(index.value) &&
         !std::holds_alternative<Ellipsis>(index.value);
}

// The part of `x` at `start` along `axis`, whose extent becomes 1.
SINTER_INLINE Tensor slice_one(const Tensor& x, int axis, Extent start, Where where) {
  Shape begin, shape = x.shape();
  for (int i = 0; i < x.ndim(); ++i) begin.push_back(i == axis ? start : Extent(0));
  shape[axis] = 1;
  if (same(shape, x.shape())) return x;
  const std::vector<std::int64_t> steps(static_cast<std::size_t>(x.ndim()), 1);
  return record({.op = Op::slice,
                 .attributes = {{"start", begin}, {"step", steps}},
                 .results = {{x.dtype(), shape}}},
                {x}, where);
}

// x[position] along `axis`, which is dropped.
SINTER_INLINE Tensor select_one(const Tensor& x, int axis, std::int64_t position, Where where) {
  const Extent extent = x.shape()[axis];
  const std::int64_t size = concrete({extent})[0].number();
  if (position < -size || position >= size) {
    throw IndexError(
        {.op = "operator[]",
         .what = "the index is outside of the axis",
         .facts = {{"x", to_string(x)}, {"axis", text(axis)}, {"index", text(position)}},
         .rule = text("-", size, " <= index < ", size),
         .fix = "count from 0, or from the end with -1",
         .where = where,
         .see = "indexing"});
  }
  // Where the size is a symbol, it is assumed from now on that there is such a position.
  if (Recorder* const recorder = current_recorder()) {
    const Extent needed = position < 0 ? -position : position + 1;
    recorder->decide(extent, Relation::greater_equal, needed, where);
  }
  const Tensor one = slice_one(x, axis, position < 0 ? extent + position : Extent(position), where);
  Shape shape;
  for (int i = 0; i < x.ndim(); ++i) {
    if (i != axis) shape.push_back(x.shape()[i]);
  }
  return reshape({one, where}, shape);
}

// Applies one index at `axis`; `axis` moves behind what it left.
SINTER_INLINE Tensor apply(const Index& index, const Tensor& x, int& axis) {
  const Where at = index.where;
  if (const auto* position = std::get_if<std::int64_t>(&index.value)) {
    return select_one(x, axis, *position, at);
  }
  if (const auto* range = std::get_if<Slice>(&index.value)) {
    const Extent stop = range->stop.value_or(x.shape()[axis]);
    return slice({x, at}, axis++, range->start.value_or(Extent(0)), stop, range->step);
  }
  if (std::holds_alternative<NewAxis>(index.value)) return unsqueeze({x, at}, axis++);
  if (const auto* indices = std::get_if<Tensor>(&index.value)) {
    const Tensor result = index_select({x, at}, axis, {*indices, at});
    axis += indices->ndim();
    return result;
  }
  ++axis;
  return x;
}

}  // namespace detail

SINTER_INLINE Tensor Tensor::operator[](Index index) const { return (*this)[{index}]; }

SINTER_INLINE Tensor Tensor::operator[](std::initializer_list<Index> indices) const {
  const Where at = indices.size() == 0 ? Where() : indices.begin()->where;
  const auto taken =
      static_cast<int>(std::count_if(indices.begin(), indices.end(), detail::takes_axis));
  if (taken > ndim(at)) {
    throw IndexError({.op = "operator[]",
                      .what = "there are more indices than axes",
                      .facts = {{"x", to_string(*this)}, {"indices", text(taken)}},
                      .rule = text("at most ", ndim(), " indices besides newaxis and ellipsis"),
                      .fix = "leave out indices; unsqueeze x for more axes",
                      .where = at,
                      .see = "indexing"});
  }
  Tensor result = *this;
  int axis = 0;
  for (const Index& index : indices) {
    if (std::holds_alternative<Ellipsis>(index.value)) {
      axis += ndim() - taken;
    } else {
      result = detail::apply(index, result, axis);
    }
  }
  return result;
}

SINTER_INLINE Tensor index_select(Operand x, int axis, Operand indices) {
  const Tensor tensor = x.tensor();
  axis = axis_of(axis, tensor, "index_select", x.where);
  indices.where = x.where;
  return record({.op = Op::gather, .attributes = {{"axis", constant(axis)}}},
                {tensor, detail::as_indices(indices, "index_select")}, x.where);
}

SINTER_INLINE Tensor take_along_axis(Operand x, Operand indices, int axis) {
  const Where at = x.where;
  const Tensor tensor = x.tensor();
  axis = axis_of(axis, tensor, "take_along_axis", at);
  Tensor positions = detail::as_indices(indices, "take_along_axis");
  if (positions.ndim() != tensor.ndim()) {
    throw ShapeError({.op = "take_along_axis",
                      .what = "ranks differ",
                      .facts = {{"x", to_string(x)}, {"indices", to_string(indices)}},
                      .rule = "indices have as many axes as x",
                      .fix = "unsqueeze the indices, or use index_select for whole slices",
                      .where = at,
                      .see = "indexing"});
  }
  // Taken from a list of all positions, so that one outside of its axis is an error here, and does
  // not reach into the next row.
  const Tensor all_positions = arange(tensor.shape()[axis], at);
  positions = index_select({all_positions, at}, 0, {positions, at});
  // One flat index for each element: the rows of x are taken one after the other.
  Tensor flat = zeros(positions.shape(), i64, at);
  for (int i = 0; i < tensor.ndim(); ++i) {
    const Tensor count = count_along(tensor, i, i64, at);
    const Tensor along = i == axis ? positions
                                   : record({.op = Op::iota,
                                             .attributes = {{"axis", constant(i)}},
                                             .results = {{i64, positions.shape()}}},
                                            {}, at);
    flat = add({mul({flat, at}, {count, at}), at}, {along, at});
  }
  return index_select({reshape(x, {-1}), at}, 0, {flat, at});
}

SINTER_INLINE Tensor index_add(Operand x, int axis, Operand indices, Operand y) {
  const Tensor tensor = x.tensor();
  axis = axis_of(axis, tensor, "index_add", x.where);
  const Tensor list = detail::as_indices(indices, "index_add");
  Shape shape;
  for (int i = 0; i < tensor.ndim(); ++i) {
    if (i != axis) shape.push_back(tensor.shape()[i]);
    if (i != axis) continue;
    for (const Extent& extent : list.shape()) shape.push_back(extent);
  }
  const Operand operands[]{{constant_tensor(constant(0), {boolean, shape}, x.where), x.where}, y};
  broadcast_shapes("index_add", operands);
  const Tensor addend = convert(y, {tensor.dtype(), shape}, x.where);
  return record({.op = Op::scatter_add, .attributes = {{"axis", constant(axis)}}},
                {tensor, list, addend}, x.where);
}

}  // namespace sinter::inline SINTER_ABI
