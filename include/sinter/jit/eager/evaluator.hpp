#pragma once
// Evaluation outside of compiled functions: installs the interpreter as trace's evaluator.

#include <sinter/config.hpp>
#include <sinter/trace/core/evaluate.hpp>
#if defined(SINTER_CUDA) && SINTER_CUDA
#include <sinter/jit/cuda/backend.hpp>
#endif

namespace sinter::inline SINTER_ABI::detail::jit {

/// Makes the interpreter the evaluator of this process. Idempotent.
bool install_evaluator();

namespace detail {
// In every translation unit, so that the evaluator is installed before main() starts.
[[maybe_unused]] static const bool evaluator_is_installed = install_evaluator();
}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/eager/evaluator.ipp>
#endif
