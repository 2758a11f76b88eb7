#pragma once
// Clusters as kernels.

#include <cstdint>  // std::uint8_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/lowerer.hpp>

namespace sinter::inline SINTER_ABI::schedule {

/// Of what is computed a second time because it is too large to keep: how.
enum class Again : std::uint8_t { no, as_before, turned };

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

/// The kernels of `cluster`, in order: one, or two if it adds into a copy; of a concatenation those
/// that write the parts which are not `taken`.
std::vector<Lowered> lower(const Fusion& fusion, std::int32_t cluster,
                           std::vector<bool> taken = {});

/// The kernels of all clusters, in their order.
std::vector<Lowered> lower_all(const Fusion& fusion);

/// Copies `from`, of `type`, to the memory that stands for `to`.
Lowered lower_copy(NodeId from, NodeId to, const TensorType& type);

}  // namespace sinter::inline SINTER_ABI::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/lower.ipp>
#endif
