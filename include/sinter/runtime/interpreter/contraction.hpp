#pragma once
// Matrix products of the interpreter.

#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// The axes that a dot_general pairs: position i of each list of the left operand with position i
/// of that of the right one.
struct PairedAxes {
  Sizes lhs_batch{}, rhs_batch{}, lhs_contract{}, rhs_contract{};
};

/// Sums of products of operands of one dtype. The axes of the result are the batch axes, the other
/// axes of `lhs`, the other axes of `rhs`.
///
/// f16, bf16 and f32 are multiplied and accumulated in f32 over 256 products at a time and in f64
/// over these, and rounded once; f64 in order in f64; integers wrap.
Array dot_general(const Array& lhs, const Array& rhs, const PairedAxes& axes, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/contraction.ipp>
#endif
