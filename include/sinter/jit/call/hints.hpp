#pragma once
// Performance hints: options that make a function faster, each tried on the inputs of a call.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class State;
struct CallFrame;

/// Compiles the variant of `frame` again with each option that may make it faster, times both with
/// the inputs of the call, and logs how many microseconds of a call the option saves, the largest
/// first. The call itself is not affected: what it updates is updated in copies.
void log_hints(const State& state, const CallFrame& frame);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/call/hints.ipp>
#endif
