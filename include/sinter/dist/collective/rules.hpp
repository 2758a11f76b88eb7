#pragma once
// Collectives as nodes: what their custom nodes hold, their gradients and their batched forms.

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/config.hpp>
#include <sinter/dist/collective/kind.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::collective {

/// A node of `collective`, without inputs, whose result is of type `result`.
Node node_of(const Collective& collective, TensorType result);

/// A node that gives its input, of this type and the same on all ranks, to computations that differ
/// from rank to rank: its gradient is their sum over the ranks of the group.
Node replicated_input_node(int group, const TensorType& type, Where where);

/// The collective that `node` runs; null if it is something else.
const Collective* collective_of(const Node& node);

}  // namespace sinter::inline SINTER_ABI::detail::collective

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/collective/rules.ipp>
#endif
