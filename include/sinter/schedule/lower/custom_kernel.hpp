#pragma once
// Lowers a custom node to the kernel that calls the text of the user.

#include <sinter/config.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The kernel of a node with operands of `types` that `function`, a text of its code, computes, and
/// its launch without buffers.
///
/// Throws ValueError, with the line of the node, if the function takes other parameters: pointers
/// to the operands and to the results, and then no size, the number of elements of the first
/// result, its extents, the extents of the operands, or those of operands and results. With
/// `guarded`, writes outside of the results are faults.
struct CustomKernel {
  Kernel kernel{};
  Launch launch{};
};
CustomKernel lower_custom(const Node& node, Span<const TensorType> types,
                          const UserFunction& function, bool guarded = false);
/// The same with the text that the node was resolved to; guarded under SINTER_CHECK, on the host.
CustomKernel lower_custom(const Node& node, Span<const TensorType> types);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/lower/custom_kernel.ipp>
#endif
