#pragma once
// The batching rules of operations whose axes move back by one: elementwise ones, reductions, rows
// and movements.

#include <sinter/autodiff/batching/batching.hpp>
#include <sinter/base/container/vector.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of {

/// Operands that are the same for all samples are repeated. A division of integers divides by 1
/// where the sample is not active.
Vector<Batched> elementwise(const Batching& at);
Vector<Batched> reduction(const Batching& at);
Vector<Batched> row(const Batching& at);
Vector<Batched> reshape(const Batching& at);
Vector<Batched> permute(const Batching& at);
Vector<Batched> expand(const Batching& at);
Vector<Batched> pad(const Batching& at);
Vector<Batched> slice(const Batching& at);
Vector<Batched> unfold(const Batching& at);
Vector<Batched> flip(const Batching& at);
Vector<Batched> concatenate(const Batching& at);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/batching/axis_rules.ipp>
#endif
