#pragma once
// Constant folding. Runs first, so that other passes see the numbers.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

/// Elementwise operations and movements of constants become constants, and so do reductions whose
/// result does not depend on the order of the sum: of integers, of products that stay exact, of 0
/// (or of 1 in a prod) over any size. What fails or faults when it runs is left alone.
///
/// Keeps every output bit for bit.
Graph fold_constants(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::pass

#ifdef SINTER_DEFINITIONS
#include <sinter/pass/fold_constants.ipp>
#endif
