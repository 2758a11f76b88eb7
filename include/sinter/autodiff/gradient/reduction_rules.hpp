#pragma once
// The gradient rules of reductions, by the names of the operations.

#include <sinter/autodiff/gradient/backward.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of {

Value sum(const Backward& at, std::size_t input);
/// The product of the others, zeros included, at every order.
Value prod(const Backward& at, std::size_t input);
/// Shared evenly by the elements that are equal to the result; NaN where the result is.
Value max(const Backward& at, std::size_t input);
Value min(const Backward& at, std::size_t input);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/gradient/reduction_rules.ipp>
#endif
