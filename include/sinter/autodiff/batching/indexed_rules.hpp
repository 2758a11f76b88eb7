#pragma once
// The batching rules of operations that read or write at indices, and of contractions.

#include <sinter/autodiff/batching/batching.hpp>
#include <sinter/base/container/vector.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of {

/// Where each sample has indices of its own into a tensor of its own, one gather from the tensors
/// of all samples, joined along the axis. An index out of range faults as it does alone, but not
/// where the sample is not active.
Vector<Batched> gather(const Batching& at);
Vector<Batched> scatter_add(const Batching& at);
/// Samples on both sides are one more batch axis, on one side one more free axis.
Vector<Batched> dot_general(const Batching& at);

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of

#ifdef SINTER_DEFINITIONS
#include <sinter/autodiff/batching/indexed_rules.ipp>
#endif
