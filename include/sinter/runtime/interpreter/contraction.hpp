#pragma once
// Matrix products of the interpreter.

#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// The paired axes of a dot_general: entry i of each list of the left operand goes with entry i of
/// the list of the right operand.
struct PairedAxes {
  Sizes lhs_batch{}, rhs_batch{}, lhs_contract{}, rhs_contract{};
};

/// The product of two operands of one dtype. The axes of the result are the batch axes, the free
/// axes of `lhs`, and the free axes of `rhs`.
///
/// f16, bf16 and f32 are multiplied and accumulated in f32 over 256 products at a time and in f64
/// over these, and rounded once; f64 in order in f64; integers wrap.
Array dot_general(const Array& lhs, const Array& rhs, const PairedAxes& axes, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/contraction.ipp>
#endif
