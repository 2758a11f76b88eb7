#pragma once
// Lowers a graph to a program: runs every stage in order, and verifies in between.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Compiles `graph`, or returns the cached program of an equal graph: same operations and source
/// lines, any numbering of symbols. Unused programs stay cached, without their CUDA Graphs. Without
/// a host compiler, about which it warns once, the program is interpreted.
LoweredProgram lower(const Graph& graph, const LowerOptions& options);

/// How a graph is compiled for options.device, a GPU; null in a program that is built without GPUs.
/// Set once, by jit/cuda/backend.hpp, before main() starts.
using GpuLowering = LoweredProgram (*)(const Graph& recorded, const LowerOptions& options);
GpuLowering& gpu_lowering();

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/lower.ipp>
#endif
