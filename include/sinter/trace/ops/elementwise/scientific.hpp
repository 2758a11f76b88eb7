#pragma once
// Powers, logarithms, trigonometric and hyperbolic functions, composed of primitives.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// lhs to the power rhs.
///
/// DTypes   promoted; integers stay integers and wrap, as in torch
/// Throws   ValueError for integers to the power of a negative constant
Tensor pow(Operand base, Operand exponent);

Tensor square(Operand x);
Tensor reciprocal(Operand x);
Tensor rsqrt(Operand x);

/// 2 to the power x.
Tensor exp2(Operand x);
/// The logarithms to base 2 and 10; exact for powers of the base.
Tensor log2(Operand x);
Tensor log10(Operand x);
/// log(exp(lhs) + exp(rhs)), which does not overflow.
Tensor logaddexp(Operand lhs, Operand rhs);

Tensor tan(Operand x);
/// NaN outside of [-1, 1]. Gradient infinite at -1 and 1.
Tensor asin(Operand x);
Tensor acos(Operand x);
/// The angle of the point (x, y), from -pi to pi; the sign of 0 counts.
///
/// Gradient y: g * x / (x^2 + y^2), x: -g * y / (x^2 + y^2)
/// Source   IEEE 754-2019, 9.2.1
Tensor atan2(Operand y, Operand x);
/// sqrt(x^2 + y^2), which does not overflow.
Tensor hypot(Operand x, Operand y);

Tensor sinh(Operand x);
Tensor cosh(Operand x);
Tensor asinh(Operand x);
/// NaN below 1.
Tensor acosh(Operand x);
/// NaN outside of [-1, 1].
Tensor atanh(Operand x);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/elementwise/scientific.ipp>
#endif
