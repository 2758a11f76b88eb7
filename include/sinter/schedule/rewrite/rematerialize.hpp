#pragma once
// Rematerialization: large products that are cheap to recompute are not kept for late readers.

#include <cstdint>  // std::int64_t, std::uint8_t

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// How a rematerialized value is recomputed.
enum class Rematerialized : std::uint8_t { no, direct, transposed };

struct RematerializedGraph {
  Graph graph{};
  Vector<NodeId> after{};          ///< For each node one that must run before it, or itself.
  Vector<Rematerialized> kinds{};  ///< For each node: how it is rematerialized, if it is large.

  /// Adds `node`, which need not wait for others than its operands.
  NodeId append(Node node, Rematerialized kind = Rematerialized::no);
  /// Sets the inputs and outputs to those of `from`, whose nodes are `moved` to this graph.
  void copy_interface(const Graph& from, const Vector<NodeId>& moved);
};

/// `graph` with a second copy of each product that contracts a short axis, is larger than its
/// operands, and is read, through elementwise operations, by some nodes at once and by others much
/// later. The late readers read the copy, which is not computed before they are ready; reductions
/// of the first product are kept. Nothing if there is no such product.
Optional<RematerializedGraph> rematerialize(const Graph& graph,
                                            const RematerializeRules& rules = {},
                                            const Target& target = {});

/// For each node: whether it is computed elementwise from positions, random bits and scalars alone,
/// as a dropout mask is.
Vector<bool> nodes_made_of_numbers(const Graph& graph);

/// The same, but also from inputs and gathers from inputs, as relative position biases are.
Vector<bool> nodes_made_of_inputs(const Graph& graph);

namespace detail {

/// The live nodes that read each node, looking through movement operations.
Vector<Vector<NodeId>> readers_of(const Graph& graph, const FusionAnalysis& facts);

/// An estimate of the number of elements of `shape`, where a symbol counts as 1024 or its maximum.
std::int64_t typical_elements(const Shape& shape);

/// The node beneath reshapes that keep the last two axes.
NodeId beneath_split(const Graph& graph, Value operand);

/// Whether `product` has a batch axis of more than one element.
bool has_batch_axis(const Graph& graph, const Node& product);

/// Whether a streaming kernel of the rows of `shape`, or of its columns if it is transposed, keeps
/// a GPU busy.
bool fills_streaming_kernel(const Shape& shape, const StreamingLimits& limits,
                            bool transposed = false);

/// Whether a value of `type` has at least two axes and RematerializeRules::most_bytes_kept bytes.
bool is_large(const TensorType& type, const RematerializeRules& rules);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/rematerialize.ipp>
#endif
