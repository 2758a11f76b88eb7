#pragma once
// Lowers fusion groups to kernels.

#include <cstdint>  // std::int32_t
#include <string>   // std::string

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/lower/lowered_kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct FusionResult;

/// The kernels of `group`, in order: one; two for a scatter_add, which adds into a copy; for a
/// concatenation, those of the operands that are not `placed` by other kernels.
Vector<LoweredKernel> lower(const FusionResult& fusion, std::int32_t group,
                            Vector<bool> placed = {});

/// The stage of a plan after fusion: the kernels of all fusion groups, in their order. `kinds`, as
/// in RewrittenGraph, says which of them rematerialize values.
Vector<LoweredKernel> lower_all(const FusionResult& fusion, Span<const Rematerialized> kinds = {});

/// "kernel 2, of groups 4 5, a product: %1 %4 %7", with the node of each argument, and the kernel.
std::string to_string(const Vector<LoweredKernel>& kernels);

/// Throws InternalError unless each argument of each kernel has a node of its dtype. The kernels
/// are verified as those of a plan, since their symbols and chunks are not known before.
void verify(const Vector<LoweredKernel>& kernels, const Graph& graph);

/// A kernel that copies `from`, of `type`, to the memory of `to`.
LoweredKernel lower_copy(NodeId from, NodeId to, const TensorType& type);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/lower/kernels.ipp>
#endif
