#pragma once
// Evaluation outside of compiled functions: the interpreter, installed where trace looks for it.

#include <sinter/config.hpp>
#include <sinter/trace/core/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Makes the interpreter the evaluator of this process. Calling it again changes nothing.
bool install_evaluator();

namespace detail {
// In every translation unit, so that the evaluator is there before main() starts.
[[maybe_unused]] static const bool evaluator_is_installed = install_evaluator();
}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/eager/evaluator.ipp>
#endif
