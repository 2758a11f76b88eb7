#pragma once
// Predicates on elements: NaN, infinite, negative, close to another value.

#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Boolean; for integers, never NaN or infinite.
Tensor isnan(Operand x);
Tensor isinf(Operand x);
Tensor isposinf(Operand x);
Tensor isneginf(Operand x);
Tensor isfinite(Operand x);
/// True for negative numbers and -0; false for NaN.
Tensor signbit(Operand x);
/// |x| with the sign of y. Gradient x: g or -g, and 0 where x is 0.
Tensor copysign(Operand x, Operand y);
/// x with NaN and the infinities replaced by numbers: by default 0 and the largest and lowest of
/// the dtype. Gradient 0 there.
Tensor nan_to_num(Operand x, double nan = 0, std::optional<double> posinf = {},
                  std::optional<double> neginf = {});
/// |x - y| <= atol + rtol * |y|. Boolean.
///
/// Throws   ValueError for a negative tolerance
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.isclose.html
Tensor isclose(Operand x, Operand y, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);

/// Logical operations: elements count as true unless they are 0. Boolean.
Tensor logical_not(Operand x);
Tensor logical_and(Operand lhs, Operand rhs);
Tensor logical_or(Operand lhs, Operand rhs);
Tensor logical_xor(Operand lhs, Operand rhs);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/elementwise/classify.ipp>
#endif
