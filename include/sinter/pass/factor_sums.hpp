#pragma once
// Takes factors out of sums over axes along which they repeat. Not for strict numerics.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

/// The sum of a * b becomes a * sum(b) along axes in which a repeats, where these are all of the
/// axes of the sum, or where b repeats along others: the sum over i and j of a[i] * b[j] is
/// sum(a) * sum(b). In f32 and f64 only: in 16 bits the sums between would be rounded.
Graph factor_sums(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::pass

#ifdef SINTER_DEFINITIONS
#include <sinter/pass/factor_sums.ipp>
#endif
