#pragma once
// Split-K: deep matrix products with few results are split along the contracted axis to occupy the
// whole GPU; and products over heads that share keys, which have too few thread blocks otherwise.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/optional.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The number of splits of the contracted axis of the product `node` on a GPU; 1 if it is not
/// split.
std::int64_t split_k_factor(const Graph& graph, const Node& node, const Target& target = {});

/// `graph` with each such product as a batch of shorter products and their sum, in a fixed order;
/// the sum is f32 if the product has 16 bits, and takes over the epilogue of the product. Inputs
/// and outputs keep their positions. Nothing if there is no such product.
Optional<Graph> split_k(const Graph& graph, const Target& target);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/split_k.ipp>
#endif
