#pragma once

#include <algorithm>  // std::max

#include <sinter/trace/autocast.hpp>
#include <sinter/trace/cast.hpp>
#include <sinter/trace/elementwise.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/product.hpp>
#include <sinter/trace/record.hpp>
#include <sinter/trace/recorder.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE void require_matrices(const Operand& lhs, const Operand& rhs) {
  const Shape left = lhs.shape(), right = rhs.shape();
  Report report{.op = "matmul",
                .facts = {{"lhs", to_string(lhs)}, {"rhs", to_string(rhs)}},
                .where = lhs.where,
                .see = "matmul"};
  if (left.empty() || right.empty()) {
    report.what = "an operand has no axes";
    report.rule = "lhs.ndim >= 1 and rhs.ndim >= 1";
    report.fix = "multiply by a number with *";
    throw ShapeError(report);
  }
  const Extent rows = right.size() == 1 ? right[0] : right[-2];
  if (!equal_sizes(left[-1], rows, lhs.where)) {
    report.what = "inner extents differ";
    report.rule =
        right.size() == 1 ? "lhs.shape[-1] == rhs.shape[0]" : "lhs.shape[-1] == rhs.shape[-2]";
    report.fix = "transpose one operand: matmul(lhs, transpose(rhs, -2, -1))";
    throw ShapeError(report);
  }
}

// The leading axes of a product: those of both operands, broadcast.
SINTER_INLINE Shape batch_shape(const Tensor& lhs, const Tensor& rhs, Where where) {
  Shape shape;
  for (int axis = -std::max(lhs.ndim(), rhs.ndim()); axis < -2; ++axis) {
    const Extent left = axis >= -lhs.ndim() ? lhs.shape()[axis] : Extent(1);
    const Extent right = axis >= -rhs.ndim() ? rhs.shape()[axis] : Extent(1);
    const bool repeats_left = same(left, Extent(1)), repeats_right = same(right, Extent(1));
    if (!repeats_left && !repeats_right && !equal_sizes(left, right, where)) {
      throw ShapeError({.op = "matmul",
                        .what = "the leading axes do not broadcast",
                        .facts = {{"lhs", to_string(lhs)}, {"rhs", to_string(rhs)}},
                        .rule = "in front of the last two, extents are equal or one of them is 1",
                        .fix = "add an axis of extent 1 with unsqueeze",
                        .where = where,
                        .see = "matmul"});
    }
    shape.push_back(repeats_left ? right : left);
  }
  return shape;
}

SINTER_INLINE Tensor with_batch(const Tensor& x, Shape batch, Where where) {
  batch.push_back(x.shape()[-2]);
  batch.push_back(x.shape()[-1]);
  return expand({x, where}, batch);
}

SINTER_INLINE Tensor dot(const Tensor& lhs, const Tensor& rhs, std::vector<std::int64_t> batch,
                         std::int64_t lhs_axis, std::int64_t rhs_axis, Where where) {
  using List = std::vector<std::int64_t>;
  return record({.op = Op::dot_general,
                 .attributes = {{"lhs_batch", batch},
                                {"rhs_batch", batch},
                                {"lhs_contract", List{lhs_axis}},
                                {"rhs_contract", List{rhs_axis}}}},
                {lhs, rhs}, where);
}

// A product in which the right operand is one matrix needs no batch: its rows are all rows of lhs.
SINTER_INLINE Tensor multiply(const Tensor& lhs, const Tensor& rhs, Where where) {
  if (rhs.ndim() <= 2) return dot(lhs, rhs, {}, lhs.ndim() - 1, 0, where);
  const Shape shape = batch_shape(lhs, rhs, where);
  std::vector<std::int64_t> batch;
  for (int axis = 0; axis < shape.size(); ++axis) batch.push_back(axis);
  return dot(with_batch(lhs, shape, where), with_batch(rhs, shape, where), batch, shape.size() + 1,
             shape.size(), where);
}

}  // namespace detail

SINTER_INLINE Tensor matmul(Operand lhs, Operand rhs) {
  detail::require_matrices(lhs, rhs);
  const Where at = lhs.where;
  const DType dtype = promote(lhs.type(), rhs.type()).dtype;
  if (dtype == boolean) {
    throw DTypeError({.op = "matmul",
                      .what = "boolean matrices have no product",
                      .facts = {{"lhs", to_string(lhs)}, {"rhs", to_string(rhs)}},
                      .rule = "an operand is of a numeric dtype",
                      .fix = "cast one: matmul(lhs.to(f32), rhs)",
                      .where = at,
                      .see = "dtypes"});
  }
  const DType computed = detail::autocast_product(dtype);
  Tensor left = cast(lhs, computed), right = cast(rhs, computed);
  const bool is_row = left.ndim() == 1 && right.ndim() > 2;
  if (is_row) left = unsqueeze({left, at}, 0);
  Tensor result = detail::multiply(left, right, at);
  if (is_row) result = squeeze({result, at}, -2);
  return result;
}

SINTER_INLINE Tensor linear(Operand x, Operand weight) {
  const Where at = x.where;
  const Shape from = x.shape(), to = weight.shape();
  if (from.empty() || to.size() != 2 || !equal_sizes(from[-1], to[1], at)) {
    throw ShapeError({.op = "linear",
                      .what = "the input does not fit the weight",
                      .facts = {{"x", to_string(x)}, {"weight", to_string(weight)}},
                      .rule = "x is (..., in) and weight is (out, in)",
                      .fix = "the last axis of x has to be as long as a row of the weight",
                      .where = at,
                      .see = "matmul"});
  }
  const DType dtype = detail::autocast_product(promote(x.type(), weight.type()).dtype);
  return detail::dot(cast(x, dtype), cast({weight.tensor(), at}, dtype), {}, from.size() - 1, 1,
                     at);
}

SINTER_INLINE Tensor linear(Operand x, Operand weight, Operand bias) {
  const Tensor product = linear(x, weight);
  const bool is_short = autocast_dtype() && product.dtype() == *autocast_dtype();
  if (is_short && !bias.is_number()) bias = {cast(bias, product.dtype()), bias.where};
  return add({product, x.where}, bias);
}

SINTER_INLINE Tensor outer(Operand lhs, Operand rhs) {
  return mul({unsqueeze(lhs, -1), lhs.where}, rhs);
}

}  // namespace sinter::inline SINTER_ABI
