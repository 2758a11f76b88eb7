#pragma once
// What was fused, and why what was not was not: the lines of SINTER_LOGS=fusion.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// For each of `kernels` a line with what it computes, "kernel 1, [64, 10]: max, model.cpp:7; sub,
/// model.cpp:7", and "  then [64, 4] x [10]: dot_general, model.cpp:8" for each space that follows
/// in the same kernel; below it a line for each value that it loads although another kernel
/// computes it: "  loads gelu, model.cpp:7, of kernel 0: a product reads each element many times".
///
/// `kernels` are what the clusters of `fusion` became; `lowered` what they were before in_blocks(),
/// null if that was not asked.
std::vector<std::string> explain(const Fusion& fusion, const std::vector<Lowered>& kernels,
                                 const std::vector<Lowered>* lowered = nullptr);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/explain/fusion_log.ipp>
#endif
