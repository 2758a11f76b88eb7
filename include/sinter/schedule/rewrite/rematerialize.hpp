#pragma once
// Rematerialization: large products that are cheap to recompute are not kept for late readers.

#include <cstdint>  // std::int64_t, std::uint8_t

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// How a rematerialized value is recomputed.
enum class Rematerialized : std::uint8_t { no, direct, transposed };

namespace detail {

/// Recomputing a product that contracts up to this extent costs as much as a store and some loads
/// of its result.
inline constexpr std::int64_t most_terms = 128;

}  // namespace detail

/// Which values are worth rematerializing.
struct RematerializeRules {
  /// A product that contracts more is not recomputed.
  std::int64_t most_terms = detail::most_terms;
  std::int64_t fewest_elements = 1 << 18;  ///< Smaller values are cheap to keep.
  /// Values of at least this size are large: the user may not have the memory to keep them.
  std::int64_t most_bytes_kept = std::int64_t{32} << 20;
  /// A product is recomputed transposed if it is this many times as large as each operand.
  std::int64_t growth = 4;
  /// Whether gathers from inputs are as free to repeat as the inputs themselves.
  bool gathers = false;
  /// Rematerialize only what a streaming kernel may compute: rows of a product that are reduced
  /// before another product reads them.
  bool streams = false;
};

struct RematerializedGraph {
  Graph graph{};
  Vector<NodeId> after{};          ///< For each node one that must run before it, or itself.
  Vector<Rematerialized> kinds{};  ///< For each node: how it is rematerialized, if it is large.
};

/// `graph` with a second copy of each product that contracts a short axis, is larger than its
/// operands, and is read, through elementwise operations, by some nodes at once and by others much
/// later. The late readers read the copy, which is not computed before they are ready; reductions
/// of the first product are kept. Nothing if there is no such product.
Optional<RematerializedGraph> rematerialize(const Graph& graph,
                                            const RematerializeRules& rules = {});

/// For each node: whether it is computed elementwise from positions, random bits and scalars alone,
/// as a dropout mask is.
Vector<bool> nodes_made_of_numbers(const Graph& graph);

/// The same, but also from inputs and gathers from inputs, as relative position biases are.
Vector<bool> nodes_made_of_inputs(const Graph& graph);

namespace detail {

/// An estimate of the number of elements of `shape`, where a symbol counts as 1024 or its maximum.
std::int64_t typical_elements(const Shape& shape);

/// The node beneath reshapes that keep the last two axes.
NodeId beneath_split(const Graph& graph, Value operand);

/// Whether `product` has a batch axis of more than one element.
bool has_batch_axis(const Graph& graph, const Node& product);

/// Whether a streaming kernel of the rows of `shape`, or of its columns if it is transposed, keeps
/// a GPU busy.
bool fills_streaming_kernel(const Shape& shape, bool transposed = false);

/// Whether a value of `type` has at least two axes and RematerializeRules::most_bytes_kept bytes.
bool is_large(const TensorType& type, const RematerializeRules& rules);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/rematerialize.ipp>
#endif
