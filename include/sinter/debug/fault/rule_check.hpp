#pragma once
// Checks gradients of a problem by differences, and batches of it sample by sample.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/debug/fault/problem.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// How the gradients of the floating outputs differ from central differences in f64; empty if they
/// agree, or if there is nothing to differentiate.
std::string gradient_mistake(const Problem& problem);

/// How a batch of three samples, the inputs and two rotations of their elements, differs from the
/// samples one after the other; empty if they agree.
std::string batching_mistake(const Problem& problem);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/fault/rule_check.ipp>
#endif
