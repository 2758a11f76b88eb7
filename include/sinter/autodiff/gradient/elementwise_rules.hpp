#pragma once
// The gradient rules of elementwise operations.

#include <sinter/autodiff/gradient/backward.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff {

/// The rule of `op`, which is elementwise.
GradientRule elementwise_gradient_rule(Op op);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/gradient/elementwise_rules.ipp>
#endif
