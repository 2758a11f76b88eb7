#pragma once
// Structural hashes of nodes and graphs, independent of names, source lines and addresses.

#include <sinter/base/container/span.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/symbol/extent/hash.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The part of a hash that stands for `op`: of its name, so that other operations do not change it.
std::uint64_t key_of(Op op);

/// The hash of what `node` computes from inputs of these hashes. Symbols count by the number of
/// their first appearance in `numbering`.
Hash hash_node(const Node& node, Span<const Hash> inputs, Numbering& numbering);

/// Equal for graphs that compute the same from the same list of inputs, whatever the order in which
/// independent nodes were recorded.
Hash hash_of(const Graph& graph);
/// Like hash_of(), but also requires equal symbols: for graphs of one recording.
Hash hash_with_symbols(const Graph& graph);
/// Like hash_of(), for a body, which shares the symbols of the enclosing graph.
Hash hash_of(const Graph& graph, Numbering& numbering);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/graph/hash.ipp>
#endif
