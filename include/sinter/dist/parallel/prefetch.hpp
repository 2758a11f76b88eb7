#pragma once
// The rewrite that gathers the parameters of a layer while the layer before computes.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

/// Replaces each all_gather of a parameter that is a fence, and whose part is an input of the
/// graph, by a node that starts it and one that waits for it. Each starts when the one before has
/// arrived, the first at the start of the graph: one layer is gathered while another computes. Only
/// on the host: a GPU runs its stream in order.
Graph prefetch_parameters(Graph graph);

}  // namespace sinter::inline SINTER_ABI::detail::parallel

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/prefetch.ipp>
#endif
