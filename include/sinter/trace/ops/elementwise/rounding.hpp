#pragma once
// Whole numbers near a number, and what division leaves. Integers stay as they are.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// The whole number at or below, at or above, or next to x on the way to 0. Gradient 0.
Tensor floor(Operand x);
Tensor ceil(Operand x);
Tensor trunc(Operand x);
/// The nearest whole number, of two the even one; to so many `decimals`. Gradient 0.
///
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.round.html
Tensor round(Operand x, int decimals = 0);
/// x - trunc(x).
Tensor frac(Operand x);
/// lhs - rhs * trunc(lhs / rhs), which has the sign of lhs; remainder has that of rhs.
///
/// Gradient lhs: g, rhs: -g * trunc(lhs / rhs)
Tensor fmod(Operand lhs, Operand rhs);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/elementwise/rounding.ipp>
#endif
