#pragma once
// Assembles a plan from kernels: their launch order, batched launches, and the buffers of their
// nodes.

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Launch;
struct Options;
struct Plan;

/// Finishes `lowered` for codegen: its loops, its vectors, its name. Returns its launch without
/// buffers, which does not name the kernel yet.
Launch finish(LoweredKernel& lowered, const Target& target);

/// The plan that runs `kernels` in a valid order, and then the copies for updates that cannot be
/// written in place. Equal kernels are stored once.
Plan assemble(const Graph& graph, Vector<LoweredKernel> kernels, const Options& options);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/assemble.ipp>
#endif
