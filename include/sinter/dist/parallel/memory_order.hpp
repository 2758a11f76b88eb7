#pragma once
// The order of the collectives of a sharded model in a graph: where they need the least memory.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

/// Moves each large all_gather of a parameter to its first reader, and gathers again for readers
/// that depend on earlier ones: those of the backward pass. Moves each large reduce_scatter of a
/// gradient to where the gradient is computed. They are fences, so that what is gathered lives for
/// one layer, and a gradient until it is reduced. Small ones, together 1/32 of the elements, stay
/// where they are. Where new parameters are gathered, all ranks agree before that they have
/// computed what can fail.
///
/// Other graphs are returned as they are.
Graph order_for_memory(Graph graph);

/// Buckets for gradients that all ranks share, the order of what is sharded, and gathers that run
/// while the layer before computes.
Graph rewrite_sharded(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::parallel

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/memory_order.ipp>
#endif
