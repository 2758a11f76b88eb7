#pragma once
// The gradient rules of movements, by the names of the operations.

#include <sinter/autodiff/gradient/backward.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of {

Value reshape(const Backward& at, std::size_t input);
Value permute(const Backward& at, std::size_t input);
Value expand(const Backward& at, std::size_t input);
Value pad(const Backward& at, std::size_t input);
Value slice(const Backward& at, std::size_t input);
Value unfold(const Backward& at, std::size_t input);
Value flip(const Backward& at, std::size_t input);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/gradient/movement_rules.ipp>
#endif
