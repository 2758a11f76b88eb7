#pragma once
// A graph cut into parts, where members in it are compiled with options of their own.

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Whether some node of `graph` is to be compiled otherwise than `options` say.
bool has_parts(const Graph& graph, const LowerOptions& options);

namespace detail {

/// With which options of their own the nodes are compiled.
void add_regions(Hasher& hasher, const Graph& graph);

}  // namespace detail

/// `graph`, cut where options change. What control flow repeats stays whole: it is compiled with
/// the options of the first member in it that has some.
Parts parts_of(const Graph& graph, const LowerOptions& options);

/// Compiles each part.
Lowered lower_parts(const Graph& graph, const LowerOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/parts.ipp>
#endif
