#pragma once

#include <algorithm>  // std::clamp, std::max, std::min
#include <cstdlib>    // std::abs
#include <string>     // std::string

#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/gather.hpp>
#include <sinter/trace/ops/movement/diagonal.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/rearrange.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

[[noreturn]] SINTER_INLINE void throw_no_matrix(std::string_view op, const Operand& x,
                                                std::string_view rule) {
  throw ShapeError({.op = op,
                    .what = "x is not a matrix",
                    .facts = {{"x", to_string(x)}},
                    .rule = rule,
                    .fix = "unsqueeze or reshape x, or use diagonal, which takes two of many axes",
                    .where = x.where});
}

// Clamps the diagonal beyond every extent, so that sums do not overflow.
SINTER_INLINE std::int64_t within_reach(std::int64_t diagonal) {
  constexpr std::int64_t far = std::int64_t{1} << 61;
  return std::clamp(diagonal, -far, far);
}

// True where `op` holds for the column and row + `diagonal` of a (rows, columns) matrix.
SINTER_INLINE Tensor compared(Op op, Extent rows, Extent columns, std::int64_t diagonal,
                              Where where) {
  diagonal = within_reach(diagonal);
  Tensor row = unsqueeze({arange(rows, where), where}, 1);
  if (diagonal != 0) row = add({row, where}, {diagonal, where});
  return elementwise(op, {arange(columns, where), where}, {row, where});
}

SINTER_INLINE Tensor triangle(Op op, const Operand& x, std::int64_t diagonal,
                              std::string_view name) {
  const Shape shape = x.shape();
  if (shape.size() < 2) throw_no_matrix(name, x, "x has at least two axes");
  const Tensor kept = compared(op, shape[-2], shape[-1], diagonal, x.where);
  const Tensor nothing = zeros({}, x.type().dtype, x.where);
  return sinter::where({kept, x.where}, x, {nothing, x.where});
}

}  // namespace detail

SINTER_INLINE Tensor tril(Operand x, std::int64_t diagonal) {
  const detail::PublicCall call("tril", x.where);
  return detail::triangle(detail::Op::le, x, diagonal, "tril");
}

SINTER_INLINE Tensor triu(Operand x, std::int64_t diagonal) {
  const detail::PublicCall call("triu", x.where);
  return detail::triangle(detail::Op::ge, x, diagonal, "triu");
}

SINTER_INLINE Tensor diagonal(Operand x, std::int64_t offset, int a, int b) {
  const detail::PublicCall call("diagonal", x.where);
  const Where where = x.where;
  offset = detail::within_reach(offset);
  Tensor matrix = x.tensor();
  const int rank = matrix.ndim(where);
  detail::axes_of({a, b}, matrix, "diagonal", where);
  matrix = moveaxis({matrix, where}, {a, b}, {rank - 2, rank - 1});
  const Extent rows = matrix.shape()[-2], columns = matrix.shape()[-1];
  const std::int64_t below = std::max<std::int64_t>(0, -offset);
  const std::int64_t above = std::max<std::int64_t>(0, offset);
  const Extent length = max(Extent(0), min(rows - below, columns - above));
  Shape flat, taken, start;
  for (int i = 0; i < rank - 2; ++i) flat.push_back(matrix.shape()[i]), start.push_back(0);
  taken = flat;
  flat.push_back(rows * columns), taken.push_back(length);
  if (detail::same(length, Extent(0))) return zeros(taken, matrix.dtype(), where);
  matrix = reshape({matrix, where}, flat);
  const Extent first = columns * below + above;
  if (!columns.is_number()) {  // the step varies: use positions
    const Tensor steps = mul({arange(length, where), where}, {columns + 1, where});
    const Tensor positions = add({steps, where}, {first, where});
    return index_select({matrix, where}, -1, {positions, where});
  }
  std::vector<std::int64_t> steps(static_cast<std::size_t>(rank - 1), 1);
  steps.back() = columns.number() + 1;
  start.push_back(first);
  return detail::record({.op = detail::Op::slice,
                         .attributes = {{"start", start}, {"step", steps}},
                         .results = {{matrix.dtype(), taken}}},
                        {matrix}, where);
}

SINTER_INLINE Tensor diag(Operand x, std::int64_t offset) {
  const detail::PublicCall call("diag", x.where);
  const Where where = x.where;
  const Shape shape = x.shape();
  offset = detail::within_reach(offset);
  if (shape.size() == 2) return diagonal(x, offset);
  if (shape.size() != 1) detail::throw_no_matrix("diag", x, "x is a vector or a matrix");
  const Extent size = shape[0] + std::abs(offset);
  const Tensor padded = pad(x, {{0, std::abs(offset)}});
  const Tensor on = detail::compared(detail::Op::eq, size, size, offset, where);
  const Tensor nothing = zeros({}, x.type().dtype, where);
  const Tensor wide = unsqueeze({padded, where}, offset >= 0 ? 1 : 0);
  return sinter::where({on, where}, {wide, where}, {nothing, where});
}

SINTER_INLINE Tensor trace(Operand x) {
  const detail::PublicCall call("trace", x.where);
  if (x.shape().size() != 2) detail::throw_no_matrix("trace", x, "x is a matrix");
  return sum({diagonal(x), x.where});
}

}  // namespace sinter::inline SINTER_ABI
