#pragma once
// A rewrite of graphs that an optional part of the library installs.

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Gets each optimized graph, whose custom nodes have kernels, before it is planned.
using ProgramRewrite = Graph (*)(Graph graph);
/// Null if there is none.
ProgramRewrite& program_rewrite();

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/rewrite/program_rewrite.ipp>
#endif
