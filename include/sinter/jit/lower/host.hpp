#pragma once
// From a graph to a program of kernels of the host.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

/// Compiles `recorded` for the host; without a host compiler the program is interpreted.
Lowered compiled(const Graph& recorded, const LowerOptions& options);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/host.ipp>
#endif
