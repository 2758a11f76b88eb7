#pragma once
// The batching rules of operations whose axes move back by one: elementwise ones, reductions, rows
// and movements.

#include <sinter/autodiff/batching/batching.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of {

/// Operands that are the same for all samples are repeated. A division of integers divides by 1
/// where the sample is not active.
std::vector<Batched> elementwise(const Batching& at);
std::vector<Batched> reduction(const Batching& at);
std::vector<Batched> row(const Batching& at);
std::vector<Batched> reshape(const Batching& at);
std::vector<Batched> permute(const Batching& at);
std::vector<Batched> expand(const Batching& at);
std::vector<Batched> pad(const Batching& at);
std::vector<Batched> slice(const Batching& at);
std::vector<Batched> unfold(const Batching& at);
std::vector<Batched> flip(const Batching& at);
std::vector<Batched> concatenate(const Batching& at);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/batching/axis_rules.ipp>
#endif
