#pragma once
// The gradient rules of operations along a row, by the names of the operations.

#include <sinter/autodiff/gradient/backward.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of {

/// The sum of the gradients from each position on.
Value cumsum(const Backward& at, std::size_t input);
/// The products of the others, zeros included, at every order.
Value cumprod(const Backward& at, std::size_t input);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/gradient/row_rules.ipp>
#endif
