#pragma once
// Limits of what compiled functions keep and compile, and what they drop there: everything at
// reset(), a recording for each new one where recompile_limit evicts.

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

/// Makes reset() drop the recordings of the function.
void register_function(const SharedPtr<State>& state);

/// Drops the recordings, limits and reports of all compiled functions, but of frozen ones.
void reset_functions();

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/limits.ipp>
#endif
