#pragma once

#include <sinter/base/public_call.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/size_value.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// `count` >= 0, computed as the last element of an iota.
SINTER_INLINE Tensor counted(Extent count, Where where) {
  const Tensor positions = record(
      {.op = Op::iota, .attributes = {{"axis", constant(0)}}, .results = {{i64, {count + 1}}}}, {},
      where);
  const Tensor last = record({.op = Op::slice,
                              .attributes = {{"start", Shape{count}}, {"step", AxisList{1}}},
                              .results = {{i64, {1}}}},
                             {positions}, where);
  const PublicCall call("reshape", where);
  return record(Op::reshape, {i64, {}}, {last}, where);
}

// An iota needs a length of at least 0: a possibly negative size is max(size, 0) - max(-size, 0).
SINTER_INLINE Tensor size_value(Extent size, DType dtype, Where where) {
  if (size.is_number()) return constant_tensor(constant(size.number()), {dtype, {}}, where);
  const Tensor above = detail::counted(max(size, Extent(0)), where);
  if (proven_less_equal(0, size)) return cast({above, where}, dtype);
  const Tensor below = detail::counted(max(-size, Extent(0)), where);
  return cast({record(Op::sub, {i64, {}}, {above, below}, where), where}, dtype);
}

SINTER_INLINE Variant<Tensor, Scalar, Constant> operand_of(Extent size, Where where) {
  if (size.is_number()) return constant(size.number());
  return Scalar(size_value(size, i64, where), where);
}

}  // namespace detail

SINTER_INLINE Operand::Operand(Extent size, Where at)
    : value(detail::operand_of(size, at)), where(at) {}

SINTER_INLINE Scalar::Scalar(Extent size, Where where)
    : Scalar(detail::size_value(size, i64, where), where) {}

}  // namespace sinter::inline SINTER_ABI
