#pragma once
// Facts about each node that decide fusion: whether it is live, its number of uses, and the cost of
// recomputing it.

#include <cstdint>  // std::int32_t

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The cost of computing one element of a node from loads.
struct Cost {
  std::int32_t loads = 0;
  std::int32_t operations = 0;
  bool expensive = false;  ///< Includes a transcendental function.
  bool rounds = false;     ///< Floating point: another kernel may compute other last bits.
};

struct NodeFacts {
  bool live = false;      ///< An output depends on it.
  bool stored = false;    ///< It must be in memory: an output, or an operand of a product.
  bool repeated = false;  ///< A reader reads each of its elements more than once.
  bool inlined = false;   ///< Readers in other groups recompute it, even if it is stored.
  bool early = false;     ///< A scalar computed from scalars, which delays no other node.
  bool compared = false;  ///< An equality of floating values depends on its last bits.
  bool concatenated_in_place =
      false;               ///< A concatenation whose operands are written to its memory.
  std::int32_t uses = 0;   ///< The number of readers, beyond movement operations.
  std::int32_t level = 0;  ///< The most reductions and products on a path to it.
  Cost cost{};
};

struct FusionAnalysis {
  Vector<NodeFacts> nodes{};
  Vector<NodeId> order{};  ///< The nodes that kernels compute, by level, operands first.
};

/// True for operations whose elements are computed one by one: elementwise, gather, concatenate,
/// random bits.
bool is_pointwise(Op op);

/// True for operations that combine many elements: reductions, products, scatter_add, scans, sorts.
bool is_heavy(Op op);

/// The node whose memory holds `output`: the one beneath its reshapes.
NodeId stored_node(const Graph& graph, Value output);

/// The node that `reader` reads as `operand`: the one beneath its movement operations; for a sort,
/// which needs its operand in memory in the order of its axes, the one beneath its reshapes.
NodeId read_node(const Graph& graph, const Node& reader, Value operand);

/// The nodes that `id` reads; for a movement operation the one beneath.
Vector<NodeId> read_nodes(const Graph& graph, NodeId id);

/// Whether `operand` broadcasts the node beneath.
bool is_broadcast(const Graph& graph, Value operand);

/// Whether `holds` is true of one of the nodes that `value` is computed from elementwise, without
/// broadcasts, down to and including the first that is not elementwise. Looks at some dozens.
bool any_source(const Graph& graph, Value value, FunctionRef<bool(const Node& node)> holds);

/// Whether `operand` is broadcast along its last axis, so that each row has one value.
bool is_constant_along_row(const Graph& graph, Value operand);

namespace detail {

/// Inlines values that are expensive, but cheaper to recompute than to keep.
void inline_rematerialized(const Graph& graph, Vector<NodeFacts>& facts,
                           const InliningLimits& limits);

}  // namespace detail

/// `after`, if not empty, has for each node another one that must come before it, or itself.
FusionAnalysis analyze_fusion(const Graph& graph, Span<const NodeId> after = {},
                              const InliningLimits& limits = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/analysis/fusion_analysis.ipp>
#endif
