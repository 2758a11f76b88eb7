#pragma once
// The gradient rules of control flow, by the names of the operations. What a branch or a step
// computed on the way is computed again, from what it was given.

#include <sinter/autodiff/gradient/backward.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of {

/// What body 1 says; without one, the gradient of body 0.
Value call(const Backward& at, std::size_t input);
/// A cond on the same predicate, of the gradients of the branches.
Value cond(const Backward& at, std::size_t input);
/// A scan the other way, over the carries that each step was given.
Value scan(const Backward& at, std::size_t input);
/// Throws GradientError: the number of steps is not known, so their states cannot be kept.
Value while_loop(const Backward& at, std::size_t input);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::gradient_of

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/gradient/control_rules.ipp>
#endif
