#pragma once
// The launch order of kernels, and the updates that cannot be written in place.

#include <cstddef>  // std::size_t

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/lower/dependences.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct LaunchOrder {
  Vector<std::size_t> kernels{};  ///< Positions in the list of kernels.
  /// Nodes that cannot be computed in the memory of an input: a later kernel reads the input or can
  /// fault, or the same kernel does, or several kernels write the node. They are copied at the end.
  Vector<NodeId> copied{};
};

/// The launch order: kernels as recorded, but those that update state run after all that read the
/// old state or can fault, where possible; and the last readers of LaunchLimits::fewest_freed_bytes
/// more than they write run as soon as they can. `outputs` of the graph have memory of their own.
LaunchOrder find_launch_order(Span<const LoweredKernel> kernels, Span<const NodeUpdate> updates,
                              Span<const NodeId> outputs = {}, const LaunchLimits& limits = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/order.ipp>
#endif
