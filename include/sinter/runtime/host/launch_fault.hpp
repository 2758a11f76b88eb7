#pragma once
// Turns the fault that a kernel recorded into an error with the user's line.

#include <sinter/base/fault.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Throws the error for `fault`, which a kernel of `launch` recorded.
[[noreturn]] void throw_fault(const schedule::Launch& launch, const Fault& fault);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/launch_fault.ipp>
#endif
