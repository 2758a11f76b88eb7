#pragma once
// Cumulative sums and products.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// The sum of the elements along `axis` up to each position.
///
/// Shapes   that of `x`
/// DTypes   numbers; booleans and integers add up in i64
/// Throws   IndexError if `x` has no such axis
/// Gradient the sum of g from each position on
Tensor cumsum(Operand x, int axis);
/// The same with `x` cast to `dtype` first. Throws DTypeError for boolean.
Tensor cumsum(Operand x, int axis, DType dtype);
/// The product of the elements along `axis` up to each position.
Tensor cumprod(Operand x, int axis);
Tensor cumprod(Operand x, int axis, DType dtype);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/reduce/cumulative.ipp>
#endif
