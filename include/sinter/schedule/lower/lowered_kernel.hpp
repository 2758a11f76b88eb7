#pragma once
// A lowered kernel: a loop nest whose arguments are nodes of the graph.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t
#include <utility>  // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/rewrite/rematerialize.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A kernel in terms of the symbols and nodes of the graph.
struct LoweredKernel {
  Kernel kernel{};
  Vector<NodeId> nodes{};  ///< The node of each argument that is not local.
  NodeId recorded = 0;     ///< Its first node, in the order of recording.
  bool is_product = false;
  Rematerialized rematerialized =
      Rematerialized::no;         ///< How it recomputes what another kernel computes.
  Vector<std::int32_t> groups{};  ///< The fusion groups that it computes.
  bool is_checked = false;        ///< An earlier kernel has made all of its checks.
  bool is_untileable = false;     ///< It writes a sparse update, so that it cannot be row-tiled.
  Extent chunks = 0;              ///< Chunks for split_grid(); 0 without partial reductions.
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
inline void drop_unused_arguments(LoweredKernel& lowered) {
  const Vector<bool> used = used_arguments(lowered.kernel);
  Vector<NodeId> nodes;
  for_each_buffer(lowered, [&](NodeId node, std::size_t i) {
    if (used[i]) nodes.push_back(node);
  });
  lowered.nodes = std::move(nodes);
  keep_arguments(lowered.kernel, used);
}

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

}  // namespace sinter::inline SINTER_ABI::detail::schedule
