#pragma once
// From a graph to a program: calls every stage in its order, and verifies in between.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Compiles `graph`; programs that are equal, lines of the user included, are shared, whatever the
/// symbols of their graphs are called. They are kept when nobody has them, without the graphs of
/// GPUs. Without a host compiler, which is said once, the program is interpreted.
Lowered lower(const Graph& graph, const LowerOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/lower.ipp>
#endif
