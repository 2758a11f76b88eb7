#pragma once
// The order in which kernels run, and which updates have to go through memory of their own.

#include <cstddef>  // std::size_t
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/lower/kernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Node `output` may be given the memory of node `input`.
struct Overwriting {
  NodeId input = 0, output = 0;
};

namespace detail {

/// Whether the data can make `kernel` fail.
bool can_fault(const Kernel& kernel);
/// The same, unless a kernel before `lowered` has checked that.
bool can_fault(const Lowered& lowered);

}  // namespace detail

struct Order {
  std::vector<std::size_t> kernels{};  ///< Positions in the list of kernels.
  /// Nodes that may not be written in the memory of an input when they are computed: a later kernel
  /// reads the input or can fault, or the same kernel does, or several kernels write the node. They
  /// are copied at the end.
  std::vector<NodeId> copied{};
};

/// Kernels as recorded, but those that write updated state after all that read the old state or
/// can fault, where that is possible; and those that are the last to need much more memory than
/// they write as soon as they can run. `outputs` of the graph have memory of their own.
Order order(std::span<const Lowered> kernels, std::span<const Overwriting> updates,
            std::span<const NodeId> outputs = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/order.ipp>
#endif
