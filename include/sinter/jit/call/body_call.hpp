#pragma once
// Calls of compiled functions within vmap, a branch or a loop, outside of recordings.

#include <sinter/config.hpp>
#include <sinter/jit/interface/callable.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

/// Records the call as one operation with its own program in the body that is being traced. A
/// function with captures, state, random draws or effects is inlined into the body instead.
///
/// Throws what the function throws, and GraphBreakError where it reads elements.
void serve_in_body(State& state, AnyCall& call);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/call/body_call.ipp>
#endif
