#pragma once
// Long matrix products of few results, done in parts of the depth, so that all of a GPU takes part;
// and those of heads that share keys, where blocks of threads for these would be too few.

#include <cstdint>   // std::int64_t
#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// In how many parts of its depth a GPU makes the product `node`; 1 if it is not split.
std::int64_t parts_of_product(const Graph& graph, const Node& node);

/// `graph` with such products as a batch of shorter ones, and the sum of these as f32 where they
/// are of 16 bits, in a fixed order; what follows the product follows the sum. Inputs and outputs
/// keep their places. Nothing if there is no such product.
std::optional<Graph> split_products(const Graph& graph);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/split_k.ipp>
#endif
