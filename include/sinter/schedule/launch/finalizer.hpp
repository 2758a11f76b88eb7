#pragma once
// Small kernels that combine what a larger one has written are run by the thread that ends last
// there: one launch instead of two, and no barrier between them.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Options;
struct Plan;

/// Makes each launch that reduces results of an earlier one, at little cost,
/// part of that one's finish. Every value is computed as before; what no launch
/// uses any more is gone from the kernels.
void attach_finishes(Plan& plan, const Options& options);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/finalizer.ipp>
#endif
