#pragma once
// The second stage of a plan: the facts about the nodes of the rewritten graph.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/rewrite/rewrite.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// analyze_fusion() of the rewritten graph. Where Target::streams(), operands of values that
/// streaming kernels recompute are inlined if they are made of positions and seeds, as a dropout
/// mask is, or made of inputs and either as large as these values or gathered: in memory they would
/// be as large as what streaming avoids to store.
FusionAnalysis analyze(const RewrittenGraph& rewritten, const Target& target);

/// A line for each node that kernels compute: "%4: level 1, uses 2, loads 1, operations 3".
std::string to_string(const FusionAnalysis& facts);

/// Throws InternalError unless the order lists live nodes, each once and after its operands.
void verify(const FusionAnalysis& facts, const Graph& graph);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/analyze.ipp>
#endif
