#pragma once
// The program cache of this process. Graphs that differ only in the numbering of their symbols
// share a program.

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/canonical.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The cached program that lower() would return; null if it would compile.
SharedPtr<const Program> known_program(const Graph& graph, const LowerOptions& options);

/// Clears the cache.
void forget_programs();

namespace detail {

/// The cache key of `graph`: equal for graphs that differ only in the numbering of their symbols.
CanonicalHash program_key(const Graph& graph, const LowerOptions& options);

/// Adds the source lines that errors about invalid data name.
void add_lines(Hasher& hasher, const Graph& graph);
/// The program cached under `key` for `graph`; null if there is none.
SharedPtr<const Program> find_program(const CanonicalHash& key, const Graph& graph);
/// Caches `program`, compiled from `graph` with canonical symbols, unless `key` has one. Returns
/// the cached program.
SharedPtr<const Program> keep_program(const Hash& key, const Graph& graph,
                                      SharedPtr<const Program> program);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/program_cache.ipp>
#endif
