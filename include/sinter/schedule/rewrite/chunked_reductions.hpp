#pragma once
// Splits reductions over their first axis into chunks, which threads share. The partial results can
// be fused with kernels over the same rows.

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// `graph` with each large sum, product, maximum or minimum along the first axis in chunks of that
/// axis: see rfactor().
Optional<Graph> rfactor_into_chunks(const Graph& graph, const Target& target = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/chunked_reductions.ipp>
#endif
