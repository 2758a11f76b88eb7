#pragma once
// The gradient rules of operations that read or write at indices, by the names of the operations.

#include <sinter/autodiff/gradient/backward.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of {

Value gather(const Backward& at, std::size_t input);
Value scatter_add(const Backward& at, std::size_t input);
/// The part of the gradient that the input was.
Value concatenate(const Backward& at, std::size_t input);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/gradient/indexed_rules.ipp>
#endif
