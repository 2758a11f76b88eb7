#pragma once

#include <algorithm>  // std::max
#include <string>     // std::string

#include <sinter/symbol/extent/proof.hpp>
#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/subgraph/body.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE OperandList::OperandList(std::initializer_list<Operand> operands, Where at)
    : list(operands), where(at) {}

SINTER_INLINE SplitSizes::SplitSizes(Extent size) : list_{size} {}
SINTER_INLINE SplitSizes::SplitSizes(std::initializer_list<Extent> sizes)
    : list_(sizes), for_each_(true) {}
SINTER_INLINE SplitSizes::SplitSizes(std::vector<Extent> sizes)
    : list_(std::move(sizes)), for_each_(true) {}
SINTER_INLINE SplitSizes::SplitSizes(const std::vector<std::int64_t>& sizes)
    : list_(sizes.begin(), sizes.end()), for_each_(true) {}

SINTER_INLINE void require_tensors(const OperandList& tensors, std::string_view op) {
  if (!tensors.list.empty()) return;
  throw ValueError({.op = op,
                    .what = "there are no tensors",
                    .facts = {},
                    .rule = "the list names at least one tensor",
                    .fix = "start from zeros with an extent of 0: zeros({0, 4})",
                    .where = tensors.where});
}

[[noreturn]] SINTER_INLINE void throw_parts(std::string_view op, const Operand& first,
                                            const Operand& other, std::size_t position,
                                            std::string_view rule, Where where) {
  throw ShapeError(
      {.op = op,
       .what = "shapes differ",
       .facts = {{"tensor 0", to_string(first)}, {text("tensor ", position), to_string(other)}},
       .rule = rule,
       .fix = "pad, expand or reshape the tensors first, or take another axis",
       .where = where});
}

// The list in the promoted dtype. Empty vectors are dropped, as in torch, which uses them as
// placeholders.
SINTER_INLINE std::vector<Tensor> parts_of(const OperandList& tensors, std::string_view op) {
  OperandType type = tensors.list[0].type();
  int rank = 0;
  for (const Operand& one : tensors.list) {
    type = promote(type, one.type());
    rank = std::max(rank, one.shape().size());
  }
  if (type.weak && is_floating(type.dtype)) type.dtype = f32;
  std::vector<Tensor> result;
  for (const Operand& one : tensors.list) {
    const Shape shape = one.shape();
    const bool is_nothing = rank > 1 && shape.size() == 1 && is_size(shape[0], 0, one.where);
    if (!is_nothing) result.push_back(cast(one, type.dtype));
  }
  if (rank > 0 && result[0].ndim() > 0) return result;
  throw ShapeError({.op = op,
                    .what = "a tensor has no axes",
                    .facts = {{"tensor 0", to_string(tensors.list[0])}},
                    .rule = "tensors that are concatenated have at least one axis",
                    .fix = "use stack, which makes a new axis",
                    .where = tensors.where});
}

SINTER_INLINE void require_equal(const std::vector<Tensor>& parts, int except, std::string_view op,
                                 std::string_view rule, Where where) {
  for (std::size_t i = 1; i < parts.size(); ++i) {
    bool fits = parts[i].ndim() == parts[0].ndim();
    for (int axis = 0; fits && axis < parts[0].ndim(); ++axis) {
      fits = axis == except || equal_sizes(parts[0].shape()[axis], parts[i].shape()[axis], where);
    }
    if (!fits) throw_parts(op, {parts[0], where}, {parts[i], where}, i, rule, where);
  }
}

// `x` with its extents written as those of `first`, except along `axis`: the recording assumes that
// they are equal.
SINTER_INLINE Tensor like_first(const Tensor& x, const Tensor& first, int axis, Where where) {
  Shape shape = first.shape();
  shape[axis] = x.shape()[axis];
  return same(shape, x.shape()) ? x : expand({x, where}, shape);
}

SINTER_INLINE Tensor concatenated(std::vector<Tensor> parts, int axis, std::string_view op,
                                  Where where) {
  axis = axis_of(axis, parts[0], op, where);
  require_equal(parts, axis, op, "ranks are equal, and extents are but along the axis", where);
  if (parts.size() == 1) return parts[0];
  for (Tensor& part : parts) part = like_first(part, parts[0], axis, where);
  return record_all({.op = Op::concatenate, .attributes = {{"axis", constant(axis)}}}, parts,
                    where)[0];
}

SINTER_INLINE Tensor part(const Tensor& x, int axis, Extent start, Extent length, Where where) {
  if (same(length, x.shape()[axis])) return x;
  Shape begin, shape = x.shape();
  for (int i = 0; i < x.ndim(); ++i) begin.push_back(i == axis ? start : Extent(0));
  shape[axis] = length;
  const std::vector<std::int64_t> steps(static_cast<std::size_t>(x.ndim()), 1);
  return record({.op = Op::slice,
                 .attributes = {{"start", begin}, {"step", steps}},
                 .results = {{x.dtype(), shape}}},
                {x}, where);
}

[[noreturn]] SINTER_INLINE void throw_split(std::string_view op, std::string what, const Operand& x,
                                            std::string sizes, std::string_view rule) {
  throw ValueError({.op = op,
                    .what = what,
                    .facts = {{"x", to_string(x)}, {"sizes", std::move(sizes)}},
                    .rule = rule,
                    .fix = "use chunk for a number of parts, or name all sizes",
                    .where = x.where});
}

}  // namespace detail

SINTER_INLINE Tensor concatenate(detail::OperandList tensors, int axis) {
  const detail::PublicCall call("concatenate", tensors.where);
  detail::require_tensors(tensors, "concatenate");
  return detail::concatenated(detail::parts_of(tensors, "concatenate"), axis, "concatenate",
                              tensors.where);
}

SINTER_INLINE Tensor cat(detail::OperandList tensors, int axis) {
  const detail::PublicCall call("cat", tensors.where);
  return concatenate(std::move(tensors), axis);
}

SINTER_INLINE Tensor stack(detail::OperandList tensors, int axis) {
  const detail::PublicCall call("stack", tensors.where);
  detail::require_tensors(tensors, "stack");
  const Where where = tensors.where;
  std::vector<Tensor> parts;
  for (const Operand& one : tensors.list) parts.push_back(one.tensor());
  detail::require_equal(parts, -1, "stack", "the shapes of all tensors are equal", where);
  const int rank = parts[0].ndim() + 1;
  for (Operand& one : tensors.list) one = {unsqueeze(one, axis), where};
  return concatenate(std::move(tensors), axis < 0 ? axis + rank : axis);
}

SINTER_INLINE Tensor hstack(detail::OperandList tensors) {
  const detail::PublicCall call("hstack", tensors.where);
  detail::require_tensors(tensors, "hstack");
  for (Operand& one : tensors.list) {
    if (one.shape().empty()) one = {reshape(one, {1}), tensors.where};
  }
  const int axis = tensors.list[0].shape().size() == 1 ? 0 : 1;
  return detail::concatenated(detail::parts_of(tensors, "hstack"), axis, "hstack", tensors.where);
}

SINTER_INLINE Tensor vstack(detail::OperandList tensors) {
  const detail::PublicCall call("vstack", tensors.where);
  detail::require_tensors(tensors, "vstack");
  for (Operand& one : tensors.list) {
    if (one.shape().size() < 2) one = {reshape(one, {1, -1}), tensors.where};
  }
  return detail::concatenated(detail::parts_of(tensors, "vstack"), 0, "vstack", tensors.where);
}

SINTER_INLINE Tensor narrow(Operand x, int axis, Extent start, Extent length) {
  const detail::PublicCall call("narrow", x.where);
  const Tensor tensor = x.tensor();
  axis = detail::axis_of(axis, tensor, "narrow", x.where);
  start = detail::size_in_recording(start, x.where);
  length = detail::size_in_recording(length, x.where);
  const Extent size = tensor.shape()[axis];
  if (detail::is_less(start, 0, x.where)) start += size;
  const bool is_there = detail::LocatedExtent{start, x.where} >= 0 &&
                        detail::LocatedExtent{length, x.where} >= 0 &&
                        detail::LocatedExtent{start + length, x.where} <= size;
  if (is_there) return detail::part(tensor, axis, start, length, x.where);
  throw ValueError(
      {.op = "narrow",
       .what = "the requested elements are out of range",
       .facts = {{"x", to_string(tensor)},
                 {"start, length", to_string(detail::concrete({start, length}))}},
       .rule = detail::text("0 <= start, start + length <= ", detail::concrete({size})[0]),
       .fix = "use slice, which clips to the axis",
       .where = x.where,
       .see = "indexing"});
}

namespace detail {

// Splits `size` into parts of `each`; the last may be smaller. For a symbolic size only the number
// of parts is fixed.
SINTER_INLINE std::vector<Extent> equal_parts(Extent size, Extent each, const Operand& x) {
  const Extent total = concrete({size})[0], now = concrete({each})[0];
  if (!total.is_number() || !now.is_number()) {
    return equal_parts(size.value(x.where), each.value(x.where), x);
  }
  if (now.number() < 0 || (now.number() == 0 && total.number() > 0)) {
    throw_split("split", "the size is not positive", x, text(now.number()), "size > 0");
  }
  if (total.number() <= now.number() && LocatedExtent{size, x.where} <= each) return {size};
  const std::int64_t count = ceil_div(total, now).number();
  Extent last = size - (count - 1) * each;
  const LocatedExtent of_last{last, x.where};
  if (!(of_last > Extent(0)) || !(of_last <= each)) last = last.value(x.where);
  std::vector<Extent> result(static_cast<std::size_t>(count), each);
  result.back() = last;
  return result;
}

}  // namespace detail

SINTER_INLINE std::vector<Tensor> split(Operand x, detail::SplitSizes sizes, int axis) {
  const detail::PublicCall call("split", x.where);
  const Tensor tensor = x.tensor();
  axis = detail::axis_of(axis, tensor, "split", x.where);
  const Extent size = tensor.shape()[axis];
  std::vector<Extent> lengths = sizes.list();
  if (!sizes.for_each()) lengths = detail::equal_parts(size, lengths[0], x);
  Extent sum = 0;
  bool is_negative = false;
  for (const Extent length : lengths) {
    is_negative |= detail::is_less(length, 0, x.where);
    sum += length;
  }
  if (is_negative || !detail::equal_sizes(sum, size, x.where)) {
    detail::throw_split("split", "the sizes do not add up to the extent", x, detail::text(lengths),
                        "sizes are at least 0, and their sum is the extent of the axis");
  }
  std::vector<Tensor> result;
  Extent start = 0;
  for (const Extent length : lengths) {
    result.push_back(detail::part(tensor, axis, start, length, x.where));
    start += length;
  }
  return result;
}

SINTER_INLINE std::vector<Tensor> chunk(Operand x, std::int64_t chunks, int axis) {
  const detail::PublicCall call("chunk", x.where);
  axis = detail::axis_of(axis, x.tensor(), "chunk", x.where);
  if (chunks < 1) {
    detail::throw_split("chunk", "the number of parts is not positive", x, detail::text(chunks),
                        "chunks >= 1");
  }
  const Extent size = x.shape()[axis];
  const auto count = static_cast<std::size_t>(chunks);
  if (detail::proven_divisible(size, chunks) || detail::is_size(size, 0, x.where)) {
    return split(x, std::vector<Extent>(count, floor_div(size, chunks)), axis);
  }
  return split(x, ceil_div(size, chunks), axis);
}

SINTER_INLINE std::vector<Tensor> unbind(Operand x, int axis) {
  const detail::PublicCall call("unbind", x.where);
  axis = detail::axis_of(axis, x.tensor(), "unbind", x.where);
  std::vector<Tensor> result;
  if (x.shape()[axis].value(x.where) == 0) return result;
  for (const Tensor& one : split(x, 1, axis)) result.push_back(squeeze({one, x.where}, axis));
  return result;
}

}  // namespace sinter::inline SINTER_ABI
