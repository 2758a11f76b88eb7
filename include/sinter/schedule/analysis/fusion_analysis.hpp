#pragma once
// What fusion has to know of each node: whether it is needed, how often, and what computing it
// again would cost.

#include <cstdint>  // std::int32_t
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// One element of a node, computed from loads.
struct Cost {
  std::int32_t loads = 0;
  std::int32_t operations = 0;
  bool dear = false;    ///< Has a transcendental function.
  bool rounds = false;  ///< Has floating numbers, whose last bits may differ where it is again.
};

struct NodeFacts {
  bool live = false;       ///< An output needs it.
  bool stored = false;     ///< It must be in memory: an output, an operand of a product.
  bool repeated = false;   ///< A reader asks for its elements more than once each.
  bool inlined = false;    ///< Readers elsewhere compute it again, even if it is stored.
  bool early = false;      ///< A number computed from numbers: it holds up nothing.
  bool in_parts = false;   ///< A concatenation whose parts are written into its memory.
  std::int32_t uses = 0;   ///< Readers that compute something.
  std::int32_t level = 0;  ///< How many reductions and products come before it.
  Cost cost{};
};

struct Survey {
  std::vector<NodeFacts> nodes{};
  std::vector<NodeId> order{};  ///< The nodes that kernels compute, inputs first, by level.
};

/// True for nodes that a loop over their elements computes: elementwise, gather, concatenate,
/// random bits.
bool is_pointwise(Op op);

/// True for nodes that combine many elements: reductions, products, scatter_add, cumulative sums,
/// sorting.
bool is_heavy(Op op);

/// The node that has the elements of `output` in memory: beneath its reshapes.
NodeId stored_node(const Graph& graph, Value output);

/// The node whose elements `reader` has as `operand`: beneath its movement; but what is sorted is
/// in memory in the order in which it is read.
NodeId read_node(const Graph& graph, const Node& reader, Value operand);

/// Whether `operand` repeats the elements of what lies beneath.
bool is_spread(const Graph& graph, Value operand);

/// Whether the elements of `operand` are the same along its last axis: one for a row.
bool is_one_for_a_row(const Graph& graph, Value operand);

namespace detail {

/// Marks as inlined what is dear, but cheaper to compute once more than to keep.
void compute_again(const Graph& graph, std::vector<NodeFacts>& facts);

}  // namespace detail

/// `after`, if not empty, names for each node another one that comes before it, or itself.
Survey survey(const Graph& graph, std::span<const NodeId> after = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/analysis/fusion_analysis.ipp>
#endif
