#pragma once
// Clusters as kernels.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/lower/lowerer.hpp>
#include <sinter/schedule/rewrite/rematerialize_transposed.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A kernel in terms of the symbols and nodes of the graph.
struct Lowered {
  Kernel kernel{};
  std::vector<NodeId> nodes{};  ///< For each argument that is not local: whose memory it is.
  NodeId recorded = 0;          ///< The first node that it computes.
  bool is_product = false;
  Again again = Again::no;  ///< Whether it computes what another one does, for other readers.
  std::vector<std::int32_t> clusters{};  ///< What it was made of.
  bool is_checked = false;  ///< Whether a kernel before it has checked what can fault of it.
  bool is_apart = false;    ///< Whether it shares no block: it writes state in places.
  Extent chunks = 0;        ///< Into which its grid is to be divided; 0 if it combines nothing.
};

/// Calls visit(node, number of the argument) for each argument of `lowered` that is not local.
template <class Visit>
void for_each_buffer(const Lowered& lowered, const Visit& visit) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < lowered.kernel.arguments.size(); ++i) {
    if (lowered.kernel.arguments[i].access != Access::local) visit(lowered.nodes[next++], i);
  }
}

namespace detail {

/// The argument of `lowered` that is the memory of `node`; -1 if there is none.
inline std::int32_t argument_of(const Lowered& lowered, NodeId node) {
  std::int32_t result = -1;
  for_each_buffer(lowered, [&](NodeId one, std::size_t i) {
    if (one == node && result < 0) result = static_cast<std::int32_t>(i);
  });
  return result;
}

}  // namespace detail

/// The kernels of `cluster`, in order: one, or two if it adds into a copy; of a concatenation those
/// that write the parts which are not `taken`.
std::vector<Lowered> lower(const Fusion& fusion, std::int32_t cluster,
                           std::vector<bool> taken = {});

/// The kernels of all clusters, in their order.
std::vector<Lowered> lower_all(const Fusion& fusion);

/// Marks those of `kernels` that write what is computed again.
void mark_again(const Turned& turned, std::vector<Lowered>& kernels);

/// Copies `from`, of `type`, to the memory that stands for `to`.
Lowered lower_copy(NodeId from, NodeId to, const TensorType& type);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/lower/kernels.ipp>
#endif
