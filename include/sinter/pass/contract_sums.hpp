#pragma once
// Merges sums over batch axes of a product into the product. Not for strict numerics.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

/// A sum over batch axes of a dot_general, with reshapes and permutes in between, becomes a
/// dot_general that contracts those axes as well, so that the summands are never materialized; an
/// example is the gradient of a factor that is repeated along an axis. Not applied if the product
/// has other readers, or has no rows or no columns.
Graph contract_sums(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::pass

#ifdef SINTER_DEFINITIONS
#include <sinter/pass/contract_sums.ipp>
#endif
