#pragma once
// What was fused, and why what was not was not: the lines of SINTER_LOGS=fusion.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/merge.hpp>

namespace sinter::inline SINTER_ABI::schedule {

/// For each kernel a line with its nodes, "[64, 10]: max, sub, exp, sum, div"; below it a line for
/// each value that it loads although another kernel computes it: "  loads gelu, model.cpp:7: a
/// product reads each element many times".
std::vector<std::string> explain(const Graph& graph, const Clusters& clusters,
                                 const Demand& demand);

}  // namespace sinter::inline SINTER_ABI::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/explain.ipp>
#endif
