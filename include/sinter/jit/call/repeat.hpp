#pragma once
// Fast path: detects that a call has the same arguments as the previous one.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class AnyCall;
struct CallFrame;

/// True if `call` can use the variant and the sizes of the previous call. Then the leaf addresses
/// in `frame` are up to date where they are needed.
bool is_repeated(CallFrame& frame, const AnyCall& call);

/// Takes a snapshot of the arguments of `call`, which fit the variant, for the next call.
void note_arguments(CallFrame& frame, const AnyCall& call);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/call/repeat.ipp>
#endif
