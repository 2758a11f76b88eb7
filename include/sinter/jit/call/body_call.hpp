#pragma once
// Calls of compiled functions inside of a batch, a branch or a loop, outside of recordings.

#include <sinter/config.hpp>
#include <sinter/jit/interface/callable.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

/// Records the call as one operation, which has a program of its own, in the body that is traced.
/// A function with captures, state, draws or effects is part of the body, operation by operation.
///
/// Throws what the function throws, and GraphBreakError where it reads elements.
void serve_in_body(State& state, AnyCall& call);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/call/body_call.ipp>
#endif
