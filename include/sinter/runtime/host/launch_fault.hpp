#pragma once
// What the fault that a kernel noted stands for: an error with the user's line.

#include <sinter/base/fault.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Throws what `fault`, which a kernel of `launch` noted, stands for.
[[noreturn]] void throw_fault(const schedule::Launch& launch, const Fault& fault);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/launch_fault.ipp>
#endif
