#pragma once
// Serves a call of a compiled function: replays a variant that fits, or traces the function.

#include <sinter/config.hpp>
#include <sinter/jit/interface/callable.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;

/// Replays the variant that fits `call`, or traces the function. Sets the result of the call and
/// the new values of its arguments.
void serve(State& state, AnyCall& call);

/// Compiles what a call like this one needs, without running it.
void prepare(State& state, AnyCall& call);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/call/serve.ipp>
#endif
