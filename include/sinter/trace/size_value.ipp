#pragma once

#include <sinter/trace/cast.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/record.hpp>
#include <sinter/trace/size_value.hpp>

namespace sinter::inline SINTER_ABI {

// A symbolic size becomes a number of the program as the last of a row of positions.
SINTER_INLINE Tensor size_value(Extent size, DType dtype, Where where) {
  if (size.is_number()) return constant_tensor(constant(size.number()), {dtype, {}}, where);
  const Tensor positions = record(
      {.op = Op::iota, .attributes = {{"axis", constant(0)}}, .results = {{i64, {size + 1}}}}, {},
      where);
  const Tensor last = slice({positions, where}, 0, size, size + 1);
  return cast({reshape({last, where}, Shape{}), where}, dtype);
}

namespace detail {

SINTER_INLINE std::variant<Tensor, Scalar, Constant> operand_of(Extent size, Where where) {
  if (size.is_number()) return constant(size.number());
  return Scalar(size_value(size, i64, where), where);
}

}  // namespace detail

SINTER_INLINE Operand::Operand(Extent size, Where at)
    : value(detail::operand_of(size, at)), where(at) {}

SINTER_INLINE Scalar::Scalar(Extent size, Where where)
    : Scalar(size_value(size, i64, where), where) {}

}  // namespace sinter::inline SINTER_ABI
