#pragma once
// Partitions a graph whose members are compiled with options of their own.

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// True if some node of `graph` is compiled with options other than `options`.
bool needs_partition(const Graph& graph, const LowerOptions& options);

/// The names among `options.interpreted` that are those of no operation of `graph`, and those of
/// its operations: "interpret names sofmax, ...; it has exp, softmax". Empty if there are none.
std::string unused_names(const Graph& graph, const LowerOptions& options);

namespace detail {

/// Adds the region of each node.
void add_regions(Hasher& hasher, const Graph& graph);

}  // namespace detail

/// Cuts `graph` where options change, and around operations that are interpreted by name. Control
/// flow stays whole: it is compiled with the options of the first member in its bodies that has
/// some.
PartitionedGraph partition(const Graph& graph, const LowerOptions& options);

/// Compiles each partition.
LoweredProgram lower_partitions(const Graph& graph, const LowerOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/partition.ipp>
#endif
