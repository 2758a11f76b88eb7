#pragma once
// Whether the arguments of a call are those of the call before.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

class AnyCall;
struct Call;

/// True if `call` needs neither another variant nor other sizes than the call before. Then the
/// addresses of leaves are up to date where they are needed.
bool is_repeated(Call& memory, const AnyCall& call);

/// Notes the arguments of `call`, which fit the variant, for the next call.
void note_arguments(Call& memory, const AnyCall& call);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/call/repeat.ipp>
#endif
