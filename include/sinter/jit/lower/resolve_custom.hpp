#pragma once
// Decides for each custom node what computes it on a device: its kernel, or its reference.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// `graph` where custom nodes that have a kernel for the device have no bodies any more, and others
/// are replaced by their reference.
///
/// Throws DeviceError, with the line of the node, if one has neither.
Graph resolve_custom(Graph graph, bool on_gpu);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/resolve_custom.ipp>
#endif
