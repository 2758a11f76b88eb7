#pragma once
// Large products that are cheap to compute again, instead of kept for readers that come much later.

#include <optional>  // std::optional
#include <vector>    // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/lower.hpp>

namespace sinter::inline SINTER_ABI::schedule {

struct Recomputation {
  Graph graph{};
  std::vector<NodeId> after{};  ///< For each node one that runs before it, read or not, or itself.
  std::vector<Again> again{};   ///< For each node: whether it is large, and made a second time.
};

/// `graph` with those products twice that have few terms, are larger than their factors, and are
/// read, through operations on their elements, by some nodes at once and by others much later. The
/// latter read the second product, which waits until then; what reduces the first one is kept.
/// Nothing if there is no such product.
std::optional<Recomputation> recompute(const Graph& graph);

}  // namespace sinter::inline SINTER_ABI::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/recompute.ipp>
#endif
