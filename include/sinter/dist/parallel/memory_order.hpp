#pragma once
// The rewrite that puts the collectives of a sharded model where they need the least memory.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

/// Moves each large all_gather of a parameter to its first reader, and gathers again for readers
/// that depend on earlier ones: those of the backward pass. Moves each large reduce_scatter of a
/// gradient to where the gradient is computed. Both become fences, so that a gathered parameter
/// lives for one layer, and a gradient until it is reduced. Small ones, together at most 1/32 of
/// the elements, are not moved. Before updated parameters are gathered, all ranks commit: they
/// agree that everything that can fail is computed.
///
/// A graph without a sharded model is returned unchanged.
Graph order_for_memory(Graph graph);

/// All rewrites of a sharded model: bucket_gradients, order_for_memory and prefetch_parameters.
Graph rewrite_sharded(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::parallel

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/memory_order.ipp>
#endif
