#pragma once

#include <sinter/base/error.hpp>
#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/cumulative.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE Tensor cumulate(Op op, const Operand& x, int axis, DType dtype) {
  const Where at = x.where;
  const Tensor rows = as_rows(x, axis);
  axis = axis_of(axis, rows, info(op).name, at);
  if (dtype == boolean) {
    throw DTypeError({.op = std::string(info(op).name),
                      .what = "booleans do not add up",
                      .facts = {{"x", to_string(x)}, {"dtype", to_string(dtype)}},
                      .rule = "dtype is a number",
                      .fix = "leave out the dtype: booleans add up in i64",
                      .where = at,
                      .see = "dtypes"});
  }
  const Tensor numbers = cast({rows, at}, dtype);
  const Tensor result = record({.op = op, .attributes = {{"axis", constant(axis)}}}, {numbers}, at);
  return reshape({result, at}, x.shape());
}

SINTER_INLINE DType cumulated_dtype(const Operand& x) {
  const DType dtype = x.type().dtype;
  return is_floating(dtype) ? dtype : i64;
}

}  // namespace detail

SINTER_INLINE Tensor cumsum(Operand x, int axis) {
  const detail::PublicCall call("cumsum", x.where);
  return detail::cumulate(detail::Op::cumsum, x, axis, detail::cumulated_dtype(x));
}

SINTER_INLINE Tensor cumsum(Operand x, int axis, DType dtype) {
  const detail::PublicCall call("cumsum", x.where);
  return detail::cumulate(detail::Op::cumsum, x, axis, dtype);
}

SINTER_INLINE Tensor cumprod(Operand x, int axis) {
  const detail::PublicCall call("cumprod", x.where);
  return detail::cumulate(detail::Op::cumprod, x, axis, detail::cumulated_dtype(x));
}

SINTER_INLINE Tensor cumprod(Operand x, int axis, DType dtype) {
  const detail::PublicCall call("cumprod", x.where);
  return detail::cumulate(detail::Op::cumprod, x, axis, dtype);
}

}  // namespace sinter::inline SINTER_ABI
