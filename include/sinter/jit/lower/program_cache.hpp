#pragma once
// The programs of this process. Graphs that differ only in the numbers of their symbols share one.

#include <memory>  // std::shared_ptr

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/canonical.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/lower/program.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// What lower() would share; null if it would compile.
std::shared_ptr<const Program> known_program(const Graph& graph, const LowerOptions& options);

/// Forgets the programs that lower() shares.
void forget_programs();

namespace detail {

/// Under which lower() shares the program of `graph`: equal for graphs that differ in the numbers
/// of their symbols only.
CanonicalHash program_key(const Graph& graph, const LowerOptions& options);

/// Adds the lines of the user that faults in the data of `graph` name.
void add_lines(Hasher& hasher, const Graph& graph);
/// The program that is kept under `key` for `graph`; null if there is none.
std::shared_ptr<const Program> find_program(const CanonicalHash& key, const Graph& graph);
/// Keeps `program`, of `graph`, whose symbols are canonical, unless there is one under `key`.
/// Returns what is kept.
std::shared_ptr<const Program> keep_program(const Hash& key, const Graph& graph,
                                            std::shared_ptr<const Program> program);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/program_cache.ipp>
#endif
