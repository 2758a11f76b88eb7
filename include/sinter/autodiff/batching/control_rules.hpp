#pragma once
// The batching rules of calls, branches and random numbers.

#include <sinter/autodiff/batching/batching.hpp>
#include <sinter/base/container/vector.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of {

/// Each sample draws numbers of its own.
Vector<Batched> random_bits(const Batching& at);
/// The body for each sample. A gradient of its own stays, summed over the samples for what is the
/// same for all of them. A call of a graph that has a program of its own is such a call again.
Vector<Batched> call(const Batching& at);
/// A cond on the same predicate; where each sample has its own, both branches are computed, and
/// each sample takes from one. Faults count where the branch is taken.
Vector<Batched> cond(const Batching& at);
/// The reference of a custom operation for each sample, and its gradient, as those of a call.
/// Throws ValueError if it has no reference.
Vector<Batched> custom(const Batching& at);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/batching/control_rules.ipp>
#endif
