#pragma once
// Sums over the batch of a product become part of the product. Not for strict numerics.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

/// A sum over axes of the batch of a dot_general, which may be reshaped and permuted in between,
/// becomes a dot_general that contracts those axes as well, so that what is summed is never kept:
/// the gradient of a factor that is repeated along an axis, for example. Not if the product is read
/// elsewhere too, or has no rows or no columns.
Graph contract_sums(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::pass

#ifdef SINTER_DEFINITIONS
#include <sinter/pass/contract_sums.ipp>
#endif
