#pragma once
// Rounding and remainders. Integers are returned unchanged.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Round down (floor), up (ceil), or towards 0 (trunc). Gradient 0.
Tensor floor(Operand x);
Tensor ceil(Operand x);
Tensor trunc(Operand x);
/// Rounds to the nearest integer, ties to even; or to `decimals` decimal places. Gradient 0.
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
