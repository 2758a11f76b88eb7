#pragma once
// Collectives as custom nodes of a graph, with their gradients and batching rules.

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/config.hpp>
#include <sinter/dist/collective/kind.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::collective {

/// A node that runs `collective`, with a result of this type. The caller adds its input.
Node node_of(const Collective& collective, TensorType result);

/// The permutation that moves `axis` to the front, its inverse, and the permuted shape.
AxisList axis_first(int axis, int rank);
AxisList axis_back(int axis, int rank);
Shape moved_to_front(const Shape& shape, int axis);

/// The identity of an input that is equal on all ranks, and that computations read which differ
/// between ranks: its gradient is the sum of the gradients of all ranks of the group.
Node replicated_input_node(int group, const TensorType& type, Where where);

/// The collective that `node` runs; null for any other node.
const Collective* collective_of(const Node& node);

}  // namespace sinter::inline SINTER_ABI::detail::collective

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/collective/rules.ipp>
#endif
