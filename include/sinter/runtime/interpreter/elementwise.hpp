#pragma once
// Elementwise operations of the interpreter.

#include <sinter/base/container/span.hpp>
#include <sinter/graph/op.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// Applies an elementwise `op` to operands of one shape and, except for select, one dtype. `dtype`
/// is the dtype of the result; only cast needs it.
///
/// Computed in the dtype of the operands, f16 and bf16 in f32 and rounded. Integers wrap.
/// Shifts by a negative number or by the width or more shift everything out: 0, or for shift_right
/// of a negative number -1. floor_divide and remainder behave like torch's: the remainder has the
/// sign of the divisor. minimum and maximum give NaN if either operand is. sign(NaN) is NaN,
/// sign(-0) is 0. On bool, add is or, mul is and.
///
/// Throws ValueError, with `where`, for an integer division by zero.
Array elementwise(Op op, Span<const Array> operands, DType dtype, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/elementwise.ipp>
#endif
