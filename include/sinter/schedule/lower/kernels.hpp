#pragma once
// Lowers fusion groups to kernels.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t
#include <string>   // std::string

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/lower/lowerer.hpp>
#include <sinter/schedule/rewrite/rematerialize.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A kernel in terms of the symbols and nodes of the graph.
struct LoweredKernel {
  Kernel kernel{};
  Vector<NodeId> nodes{};       ///< The node of each argument that is not local.
  NodeId recorded = 0;          ///< Its first node, in the order of recording.
  bool is_product = false;
  Rematerialized rematerialized =
      Rematerialized::no;              ///< How it recomputes what another kernel computes.
  Vector<std::int32_t> groups{};       ///< The fusion groups that it computes.
  bool is_checked = false;             ///< An earlier kernel has made all of its checks.
  bool is_untileable = false;  ///< It writes a sparse update, so that it cannot be row-tiled.
  Extent chunks = 0;           ///< Chunks for split_grid(); 0 without partial reductions.
};

/// Calls visit(node, number of the argument) for each argument of `lowered` that is not local.
template <class Visit>
void for_each_buffer(const LoweredKernel& lowered, const Visit& visit) {
  for_each_buffer(lowered.kernel, lowered.nodes, visit);
}

/// Whether the data can make `lowered` fail, whose checks no earlier kernel has run.
inline bool can_fault(const LoweredKernel& lowered) {
  return !lowered.is_checked && can_fault(lowered.kernel);
}

/// Drops arguments that no instruction uses.
void drop_unused_arguments(LoweredKernel& lowered);

namespace detail {

/// The argument of `lowered` for the memory of `node`; -1 if there is none.
inline std::int32_t argument_of(const LoweredKernel& lowered, NodeId node) {
  std::int32_t result = -1;
  for_each_buffer(lowered, [&](NodeId one, std::size_t i) {
    if (one == node && result < 0) result = static_cast<std::int32_t>(i);
  });
  return result;
}

}  // namespace detail

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
