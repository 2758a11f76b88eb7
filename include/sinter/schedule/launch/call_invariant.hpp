#pragma once
// Finds the inputs of products that may be the same from call to call.

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Marks the arguments of the products of `plan` that are, in all its launches, inputs which no
/// output updates: their packed form can be cached until they change. Products that share a launch
/// or run in bodies have none.
void mark_call_invariant(Plan& plan, Span<const Update> updates);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/call_invariant.ipp>
#endif
