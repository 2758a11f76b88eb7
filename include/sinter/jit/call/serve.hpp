#pragma once
// What a call of a compiled function does: it is served by a variant, or runs and is recorded.

#include <sinter/config.hpp>
#include <sinter/jit/interface/callable.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

/// Serves a call: finds what was compiled for it, or runs the function. The call gets its result,
/// and its arguments their new values.
void serve(State& state, AnyCall& call);

/// Compiles what a call like this one needs.
void prepare(State& state, AnyCall& call);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/call/serve.ipp>
#endif
