#pragma once
// The fusion log, SINTER_LOGS=fusion: what was fused, and why other kernels were not.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/refusals.hpp>
#include <sinter/schedule/lower/lowered_kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct FusionResult;

/// A line for each of `kernels` with what it computes, "kernel 1, [64, 10]: max, model.cpp:7; sub,
/// model.cpp:7", and "  then [64, 4] x [10]: dot_general, model.cpp:8" for each further space of
/// the kernel. Below it, a line for each value that it loads from another kernel: "  loads gelu,
/// model.cpp:7, from kernel 0: a product reads each element of its operand many times".
/// `kernels` are lowered from the groups of `fusion`; `refusals` are those of fuse() and tile().
std::vector<std::string> explain(const FusionResult& fusion, const Vector<LoweredKernel>& kernels,
                                 const Refusals& refusals = {});

/// Logs the lines of explain() with SINTER_LOGS=fusion.
void log_fusion(const FusionResult& fusion, const Vector<LoweredKernel>& kernels,
                const Refusals& refusals);

/// What reports show of a graph without control flow: the kernels that compute each of its nodes.
struct Grouping {
  Graph graph{};                              ///< After the rewrites of the schedule.
  Vector<Vector<std::int32_t>> kernels{};     ///< Of each node: the kernels that compute it.
  std::vector<std::vector<std::string>> log;  ///< Of each kernel: its lines of explain().
};

/// The grouping of `kernels`, with the same arguments as explain().
Grouping grouping_of(const FusionResult& fusion, const Vector<LoweredKernel>& kernels,
                     const Refusals& refusals);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/explain/fusion_log.ipp>
#endif
