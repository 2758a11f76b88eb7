#pragma once
// The host as a target: threads that share memory.

#include <sinter/config.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

Target host_target();

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/host_target.ipp>
#endif
