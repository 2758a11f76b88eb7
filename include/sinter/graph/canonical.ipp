#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/graph/canonical.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE bool counts_up(Span<const std::uint32_t> symbols) {
  for (std::uint32_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i] != i) return false;
  }
  return true;
}

SINTER_INLINE CanonicalHash canonical_hash(const Graph& graph) {
  Numbering numbering;
  CanonicalHash result{.hash = hash_of(graph, numbering)};
  for (const Extent symbol : numbering.symbols()) result.symbols.push_back(symbol.id());
  return result;
}

SINTER_INLINE Graph with_canonical_symbols(Graph graph, Span<const std::uint32_t> symbols) {
  if (detail::counts_up(symbols)) return graph;
  const auto renamed = [symbols](Extent variable) {
    if (!variable.is_symbol()) return variable;
    const auto known = find(symbols, variable.id());
    return Extent::symbol(static_cast<std::uint32_t>(known - symbols.begin()),
                          variable.symbol_info());
  };
  return map_extents(std::move(graph), [&](Extent extent) { return substitute(extent, renamed); });
}

}  // namespace sinter::inline SINTER_ABI::detail
