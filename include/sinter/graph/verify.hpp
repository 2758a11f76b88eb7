#pragma once
// What must hold of a graph between the stages.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Throws InternalError unless `graph` is well formed: inputs before their readers, results as
/// infer() finds them, inputs listed once each, outputs that exist.
void verify(const Graph& graph);

/// True if products are to be verified between the stages: SINTER_VERIFY=1, as in the tests.
bool verifies();

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/verify.ipp>
#endif
