#pragma once
// The gradient rules of contractions, by the names of the operations.

#include <sinter/autodiff/gradient/backward.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of {

/// A dot_general of the gradient and the other operand, permuted if needed.
Value dot_general(const Backward& at, std::size_t input);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/gradient/contraction_rules.ipp>
#endif
