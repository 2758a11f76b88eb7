#pragma once
// The gradient rules of control flow, by the names of the operations. Intermediates of branches and
// steps are rematerialized from their inputs.

#include <sinter/autodiff/gradient/backward.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of {

/// Body 1; without one, the gradient of body 0.
Value call(const Backward& at, std::size_t input);
/// A cond on the same predicate, of the gradients of the branches.
Value cond(const Backward& at, std::size_t input);
/// A reverse scan over the carries that each step received.
Value scan(const Backward& at, std::size_t input);
/// Throws GradientError: the number of steps is not known, so their states cannot be kept.
Value while_loop(const Backward& at, std::size_t input);
/// By its body 1, else of its reference. Throws GradientError if it has neither.
Value custom(const Backward& at, std::size_t input);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/gradient/control_rules.ipp>
#endif
