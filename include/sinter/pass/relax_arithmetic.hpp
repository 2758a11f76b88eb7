#pragma once
// Replaces elementwise operations by cheaper ones that round differently. Not for strict numerics.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

/// x + 0 becomes x, -(x - y) becomes y - x (both but for the sign of a zero), x / c becomes
/// x * (1 / c), x * a * b becomes x * (a * b), pow(x, 2) becomes x * x and pow(x, -1) becomes 1 /
/// x.
///
/// Constants are combined only in f32 and f64, and only where they stay normal numbers: in 16 bits
/// the rounded constant would cost more than the operation that it saves.
Graph relax_arithmetic(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::pass

#ifdef SINTER_DEFINITIONS
#include <sinter/pass/relax_arithmetic.ipp>
#endif
