#pragma once

#include <algorithm>  // std::max

#include <sinter/trace/context/autocast.hpp>
#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/gather.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/product/product.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

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
    const Optional<Extent> met = meet(left, right, where);
    if (!met) {
      throw ShapeError({.op = "matmul",
                        .what = "the leading axes do not broadcast",
                        .facts = {{"lhs", to_string(lhs)}, {"rhs", to_string(rhs)}},
                        .rule = "in front of the last two, extents are equal or one of them is 1",
                        .fix = "add an axis of extent 1 with unsqueeze",
                        .where = where,
                        .see = "matmul"});
    }
    shape.push_back(*met);
  }
  return shape;
}

SINTER_INLINE Tensor with_batch(const Tensor& x, Shape batch, Where where) {
  batch.push_back(x.shape()[-2]);
  batch.push_back(x.shape()[-1]);
  return expand({x, where}, batch);
}

SINTER_INLINE Tensor contract(const Tensor& lhs, const Tensor& rhs, const DotAxes& axes,
                              Where where) {
  Node node{.op = Op::dot_general};
  node.attributes.reserve(4);  // an initializer list would cost a copy
  const auto add = [&node](std::string_view name, const AxisList& list) {
    node.attributes.push_back({name, list});
  };
  add("lhs_batch", axes.lhs_batch), add("rhs_batch", axes.rhs_batch);
  add("lhs_contract", axes.lhs_contract), add("rhs_contract", axes.rhs_contract);
  return record(std::move(node), {lhs, rhs}, where);
}

SINTER_INLINE Tensor dot(const Tensor& lhs, const Tensor& rhs, const AxisList& batch,
                         std::int64_t lhs_axis, std::int64_t rhs_axis, Where where) {
  return contract(lhs, rhs, {batch, batch, {lhs_axis}, {rhs_axis}}, where);
}

SINTER_INLINE DType product_dtype(OperandType type, std::string_view op, const Operand& lhs,
                                  const Operand& rhs) {
  if (type.dtype != boolean) return autocast_product(type.dtype);
  throw DTypeError({.op = op,
                    .what = "boolean matrices have no product",
                    .facts = {{"lhs", to_string(lhs)}, {"rhs", to_string(rhs)}},
                    .rule = "an operand is of a numeric dtype",
                    .fix = text("cast one: ", op, "(lhs.to(f32), rhs)"),
                    .where = lhs.where,
                    .see = "dtypes"});
}

// If the right operand is a single matrix, no batch is needed: the leading axes of lhs are merged
// into its rows.
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
  const detail::PublicCall call("matmul", lhs.where);
  detail::require_matrices(lhs, rhs);
  const Where at = lhs.where;
  const DType computed =
      detail::product_dtype(detail::promote(lhs.type(), rhs.type()), "matmul", lhs, rhs);
  Tensor left = detail::cast(lhs, computed), right = detail::cast(rhs, computed);
  const bool is_row = left.ndim() == 1 && right.ndim() > 2;
  if (is_row) left = unsqueeze({left, at}, 0);
  Tensor result = detail::multiply(left, right, at);
  if (is_row) result = squeeze({result, at}, -2);
  return result;
}

namespace detail {

SINTER_INLINE void require_linear(const Operand& x, const Operand& weight, bool fits) {
  const Shape from = x.shape(), to = weight.shape();
  if (fits && !from.empty() && equal_sizes(from[-1], to[-1], x.where)) return;
  throw ShapeError({.op = "linear",
                    .what = "the input does not fit the weight",
                    .facts = {{"x", to_string(x)}, {"weight", to_string(weight)}},
                    .rule = "x is (..., in) and weight is (out, in), or (in) without a bias",
                    .fix = "the last axis of x has to be as long as a row of the weight",
                    .where = x.where,
                    .see = "matmul"});
}

}  // namespace detail

SINTER_INLINE Tensor linear(Operand x, Operand weight) {
  const detail::PublicCall call("linear", x.where);
  const Where at = x.where;
  const int rank = weight.shape().size();
  detail::require_linear(x, weight, rank == 1 || rank == 2);
  const DType dtype = detail::autocast_product(detail::promote(x.type(), weight.type()).dtype);
  return detail::dot(detail::cast(x, dtype), detail::cast({weight.tensor(), at}, dtype), {},
                     x.shape().size() - 1, rank - 1, at);
}

SINTER_INLINE Tensor linear(Operand x, Operand weight, Operand bias) {
  const detail::PublicCall call("linear", x.where);
  detail::require_linear(x, weight, weight.shape().size() == 2);
  const Tensor product = linear(x, weight);
  detail::require_broadcast("linear", {product, x.where}, bias);
  const bool is_short = detail::autocast_dtype() && product.dtype() == *detail::autocast_dtype();
  if (is_short && !bias.is_number()) bias = {detail::cast(bias, product.dtype()), bias.where};
  return add({product, x.where}, bias);
}

namespace detail {

SINTER_INLINE void require_ranks(std::string_view op, const Operand& lhs, int lhs_rank,
                                 const Operand& rhs, int rhs_rank) {
  if (lhs.shape().size() == lhs_rank && rhs.shape().size() == rhs_rank) return;
  throw ShapeError({.op = op,
                    .what = "an operand has the wrong number of axes",
                    .facts = {{"lhs", to_string(lhs)}, {"rhs", to_string(rhs)}},
                    .rule = text("lhs.ndim() == ", lhs_rank, " and rhs.ndim() == ", rhs_rank),
                    .fix = "use matmul, which takes all ranks, or einsum",
                    .where = lhs.where,
                    .see = "matmul"});
}

SINTER_INLINE void require_equal(std::string_view op, Extent left, Extent right, std::string rule,
                                 const Operand& lhs, const Operand& rhs) {
  if (equal_sizes(left, right, lhs.where)) return;
  throw ShapeError({.op = op,
                    .what = "extents differ",
                    .facts = {{"lhs", to_string(lhs)}, {"rhs", to_string(rhs)}},
                    .rule = rule,
                    .fix = "transpose or reshape an operand so that the extents are equal",
                    .where = lhs.where,
                    .see = "matmul"});
}

}  // namespace detail

SINTER_INLINE Tensor outer(Operand lhs, Operand rhs) {
  const detail::PublicCall call("outer", lhs.where);
  detail::require_ranks("outer", lhs, 1, rhs, 1);
  return mul({unsqueeze(lhs, -1), lhs.where}, rhs);
}

SINTER_INLINE Tensor dot(Operand lhs, Operand rhs) {
  const detail::PublicCall call("dot", lhs.where);
  detail::require_ranks("dot", lhs, 1, rhs, 1);
  detail::require_equal("dot", lhs.shape()[0], rhs.shape()[0], "lhs.shape[0] == rhs.shape[0]", lhs,
                        rhs);
  return tensordot(lhs, rhs, 1);
}

SINTER_INLINE Tensor inner(Operand lhs, Operand rhs) {
  const detail::PublicCall call("inner", lhs.where);
  if (lhs.shape().empty() || rhs.shape().empty()) return mul(lhs, rhs);
  detail::require_equal("inner", lhs.shape()[-1], rhs.shape()[-1], "lhs.shape[-1] == rhs.shape[-1]",
                        lhs, rhs);
  return tensordot(lhs, rhs, {-1}, {-1});
}

SINTER_INLINE Tensor mm(Operand lhs, Operand rhs) {
  const detail::PublicCall call("mm", lhs.where);
  detail::require_ranks("mm", lhs, 2, rhs, 2);
  detail::require_equal("mm", lhs.shape()[1], rhs.shape()[0], "lhs.shape[1] == rhs.shape[0]", lhs,
                        rhs);
  return matmul(lhs, rhs);
}

SINTER_INLINE Tensor mv(Operand matrix, Operand vector) {
  const detail::PublicCall call("mv", matrix.where);
  detail::require_ranks("mv", matrix, 2, vector, 1);
  detail::require_equal("mv", matrix.shape()[1], vector.shape()[0],
                        "matrix.shape[1] == vector.shape[0]", matrix, vector);
  return matmul(matrix, vector);
}

SINTER_INLINE Tensor bmm(Operand lhs, Operand rhs) {
  const detail::PublicCall call("bmm", lhs.where);
  detail::require_ranks("bmm", lhs, 3, rhs, 3);
  detail::require_equal("bmm", lhs.shape()[0], rhs.shape()[0], "lhs.shape[0] == rhs.shape[0]", lhs,
                        rhs);
  return matmul(lhs, rhs);
}

SINTER_INLINE Tensor cross(Operand lhs, Operand rhs, int axis) {
  const detail::PublicCall call("cross", lhs.where);
  const Where at = lhs.where;
  const Tensor left = lhs.tensor(), right = rhs.tensor();
  const int a = detail::axis_of(axis, left, "cross", at),
            b = detail::axis_of(axis, right, "cross", at);
  detail::require_equal("cross", left.shape()[a], 3, "lhs.shape[axis] == 3", lhs, rhs);
  detail::require_equal("cross", right.shape()[b], 3, "rhs.shape[axis] == 3", lhs, rhs);
  // Element i is lhs[i + 1] * rhs[i + 2] - lhs[i + 2] * rhs[i + 1].
  const auto rolled = [at](const Tensor& x, int along, std::int64_t first) {
    const Tensor positions = remainder({add({arange(3, at), at}, {first, at}), at}, {3, at});
    return index_select({x, at}, along, {positions, at});
  };
  return sub({mul({rolled(left, a, 1), at}, {rolled(right, b, 2), at}), at},
             {mul({rolled(left, a, 2), at}, {rolled(right, b, 1), at}), at});
}

namespace detail {

// Makes the extents of a pair of axes equal: if one is 1, the other operand is summed first, as in
// torch.
SINTER_INLINE void meet(Tensor& left, int a, Tensor& right, int b, const Operand& lhs,
                        const Operand& rhs) {
  const Where at = lhs.where;
  const Extent one = left.shape()[a], other = right.shape()[b];
  if (equal_sizes(one, other, at)) return;
  const auto is_one = [at](Extent extent) {
    return same(extent, Extent(1)) || fix_one(extent, at);
  };
  if (is_one(one)) {
    right = sum({right, at}, b, true, right.dtype());
  } else if (is_one(other)) {
    left = sum({left, at}, a, true, left.dtype());
  } else {
    require_equal("tensordot", one, other, text("lhs.shape[", a, "] == rhs.shape[", b, "], or 1"),
                  lhs, rhs);
  }
}

}  // namespace detail

SINTER_INLINE Tensor tensordot(Operand lhs, Operand rhs, std::vector<int> lhs_axes,
                               std::vector<int> rhs_axes) {
  const detail::PublicCall call("tensordot", lhs.where);
  const Where at = lhs.where;
  const DType dtype =
      detail::product_dtype(detail::promote(lhs.type(), rhs.type()), "tensordot", lhs, rhs);
  Tensor left = detail::cast(lhs, dtype), right = detail::cast({rhs.tensor(), at}, dtype);
  if (lhs_axes.size() != rhs_axes.size()) {
    throw ShapeError({.op = "tensordot",
                      .what = "the axes are not pairs",
                      .facts = {{"axes", detail::text(lhs_axes, " and ", rhs_axes)}},
                      .rule = "there are as many axes of lhs as of rhs",
                      .fix = "name one axis of each operand for each sum",
                      .where = at,
                      .see = "matmul"});
  }
  detail::axes_of(lhs_axes, left, "tensordot", at);  // checks that each exists and is named once
  detail::axes_of(rhs_axes, right, "tensordot", at);
  detail::DotAxes axes;
  for (std::size_t i = 0; i < lhs_axes.size(); ++i) {
    const int a = detail::axis_of(lhs_axes[i], left, "tensordot", at);
    const int b = detail::axis_of(rhs_axes[i], right, "tensordot", at);
    detail::meet(left, a, right, b, lhs, rhs);
    axes.lhs_contract.push_back(a), axes.rhs_contract.push_back(b);
  }
  if (!axes.lhs_contract.empty()) return detail::contract(left, right, axes, at);
  Shape ones = left.shape();
  for (int i = 0; i < right.ndim(); ++i) ones.push_back(1, at);
  return mul({reshape({left, at}, ones), at}, {right, at});
}

SINTER_INLINE Tensor tensordot(Operand lhs, Operand rhs, int axes) {
  const detail::PublicCall call("tensordot", lhs.where);
  std::vector<int> last, first;
  for (int i = 0; i < axes; ++i) last.push_back(i - axes), first.push_back(i);
  return tensordot(lhs, rhs, last, first);
}

}  // namespace sinter::inline SINTER_ABI
