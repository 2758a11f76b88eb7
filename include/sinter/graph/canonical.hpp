#pragma once
// Canonical symbol numbering: programs shared by graph hash are written in symbols numbered in the
// order in which the hash visits them.

#include <cstdint>  // std::uint32_t

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The hash of a graph, and the ids of its symbols in canonical order. In graphs with equal hashes,
/// symbols at equal positions correspond.
struct CanonicalHash {
  Hash hash{};
  Vector<std::uint32_t> symbols{};
};

CanonicalHash canonical_hash(const Graph& graph);

/// `graph` with the number of each symbol in `symbols`, which has all of them, as its id.
Graph with_canonical_symbols(Graph graph, Span<const std::uint32_t> symbols);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/canonical.ipp>
#endif
