#pragma once
// Gathers of parameters that run while the layer before computes.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

/// Replaces each all_gather of a parameter that is a fence, and whose part is an input of the
/// graph, by a node that starts it and one that waits for it. Each starts where the one before has
/// arrived, the first at the start: one layer is gathered while another computes. On the host: GPUs
/// run what is on their stream in its order.
Graph prefetch_parameters(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::parallel

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/prefetch.ipp>
#endif
