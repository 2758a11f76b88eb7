#pragma once
// Transposed rematerialization of large values, for products that contract over their rows.

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/rewrite/rematerialize.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// `graph` with a transposed copy of each large value that is computed elementwise from products
/// and one value per row. Products that contract over the rows read the copy instead: each row of
/// the copy belongs to one row of the product, so that neither value has to be in memory as a
/// whole. `after` and `kinds` are as in the result, or empty. Nothing if there is no such value.
Optional<RematerializedGraph> rematerialize_transposed(const Graph& graph,
                                                       const Vector<NodeId>& after = {},
                                                       const Vector<Rematerialized>& kinds = {},
                                                       const RematerializeRules& rules = {},
                                                       const Target& target = {});

/// What rematerialize() and rematerialize_transposed() make of `graph`, if one of them makes
/// anything.
Optional<RematerializedGraph> rematerialize_all(const Graph& graph, const RematerializeRules& rules,
                                                const Target& target);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/rematerialize_transposed.ipp>
#endif
