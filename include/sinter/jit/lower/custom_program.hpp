#pragma once
// Compiles a graph with a backend of the user.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// `graph`, compiled by the backend in `options`. Throws ValueError if that throws, with its
/// exception nested.
LoweredProgram lower_custom(const Graph& graph, const LowerOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/custom_program.ipp>
#endif
