#pragma once

#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE Tensor cast(Operand x, DType dtype) {
  const PublicCall call("cast", x.where);
  const Tensor tensor = x.tensor();
  if (tensor.dtype(x.where) == dtype) return tensor;
  return record(Op::cast, {dtype, tensor.shape()}, {tensor}, x.where);
}

}  // namespace sinter::inline SINTER_ABI::detail
