#pragma once
// The host as a target: threads that share memory.

#include <sinter/config.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The policies of a host with these vectors. No block of a product is larger than its part of the
/// caches, else the thresholds are those of the default Target.
Target host_target(VectorUnit vectors = {}, Caches caches = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/host_target.ipp>
#endif
