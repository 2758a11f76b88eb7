#pragma once
// Scalar reductions of inputs with many consumers: one thread computes them first, so that the
// consumers stay in one kernel.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// Finds scalar reductions of inputs with many consumers. If they were split, their chunks would be
/// fused with nodes that do not depend on them, and the consumers would be a second kernel, which
/// loads what the first one stored. If they are cheap compared with the rest, one thread computes
/// them first, and there is one kernel.
struct SerialTotals {
  const Graph& graph;
  const Target& target;

  /// The number of elements that the node computes or reduces; -1 if unknown.
  std::int64_t elements(NodeId id) const;
  bool is_counted(NodeId id) const;
  std::int64_t cost(NodeId id) const;
  /// The cost of `total` if it is computed elementwise from inputs; else -1.
  std::int64_t cost_to_compute(NodeId total) const;
  /// Whether a node with at least as many elements as `total` reduces depends on it.
  bool has_large_reader(NodeId total) const;
  /// Whether one thread computes `total` before the other kernels.
  bool is_serial(NodeId total) const;
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/serial_totals.ipp>
#endif
