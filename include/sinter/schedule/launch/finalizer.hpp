#pragma once
// Finalizers: the last thread to finish a kernel also runs small kernels that reduce its results.
// This saves a launch and the barrier between the two.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Options;
struct Plan;

/// Makes each launch that cheaply reduces results of an earlier one a finalizer of that one. Every
/// value is computed as before. Kernels that no launch uses any more are dropped.
void attach_finalizers(Plan& plan, const Options& options);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/finalizer.ipp>
#endif
