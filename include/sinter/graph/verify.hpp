#pragma once
// The invariants of a graph between stages.

#include <sinter/base/verify.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Throws InternalError unless `graph` is well formed: inputs before their readers, results as
/// infer() finds them, inputs listed once each, outputs that exist.
void verify(const Graph& graph);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/verify.ipp>
#endif
