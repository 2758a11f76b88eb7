#pragma once
// Lowers a graph to a program for a GPU.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

/// Compiles `recorded` for options.device.
LoweredProgram lower_for_gpu(const Graph& recorded, const LowerOptions& options);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/cuda/lower.ipp>
#endif
