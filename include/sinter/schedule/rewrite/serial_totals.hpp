#pragma once
// Scalar reductions of inputs with many consumers: one thread computes them first, so that the
// consumers stay in one kernel.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// Finds totals that wait for nothing and that much waits for. In chunks they would be part of what
/// does not wait for them, and what does a second kernel, which reads what the first one stored.
/// Where they are little beside both, one thread has them first, and there is one kernel.
struct TotalFinder {
  const Graph& graph;

  /// Elements that are computed, or reduced; -1 if they are not known.
  std::int64_t elements(NodeId id) const;
  bool is_counted(NodeId id) const;
  std::int64_t steps(NodeId id) const;
  /// What `total` takes, if it is made of inputs, element by element; else -1.
  std::int64_t steps_to(NodeId total) const;
  /// Whether what has more elements than one needs it.
  bool is_awaited(NodeId total) const;
  /// Whether one thread computes `total` before all else.
  bool is_first(NodeId total) const;
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/serial_totals.ipp>
#endif
