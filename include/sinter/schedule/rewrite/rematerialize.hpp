#pragma once
// Large products that are cheap to compute again, instead of kept for readers that come much later.

#include <cstdint>   // std::int64_t, std::uint8_t
#include <optional>  // std::optional
#include <vector>    // std::vector

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Of what is computed a second time because it is too large to keep: how.
enum class Again : std::uint8_t { no, as_before, turned };

/// What is worth computing again instead of being kept.
struct AgainRules {
  std::int64_t fewest_elements = 1 << 18;  ///< Smaller values stay in the caches, or are no loss.
  /// Larger values cost memory that the user may not have.
  std::int64_t most_bytes_kept = std::int64_t{32} << 20;
  /// A turned product is so many times as large as each of its factors.
  std::int64_t growth = 4;
  /// Whether what is taken from inputs, wherever positions or other inputs say, is at hand again.
  bool gathers = false;
  std::vector<bool> kept{};  ///< Nodes of the graph that are not computed again; or empty.

  bool keeps(NodeId node) const { return node < kept.size() && kept[node]; }
};

struct Recomputation {
  Graph graph{};
  std::vector<NodeId> after{};   ///< For each node one that runs before it, read or not, or itself.
  std::vector<Again> again{};    ///< For each node: whether it is large, and made a second time.
  std::vector<NodeId> origin{};  ///< For each node: that of the graph that it stands for.
};

/// `graph` with those products twice that have few terms, are larger than their factors, and are
/// read, through operations on their elements, by some nodes at once and by others much later. The
/// latter read the second product, which waits until then; what reduces the first one is kept.
/// Nothing if there is no such product.
std::optional<Recomputation> recompute(const Graph& graph, const AgainRules& rules = {});

/// For each node whether it is computed, by operations on elements, from positions, random bits and
/// single numbers alone, as the mask of a dropout is.
std::vector<bool> nodes_made_of_numbers(const Graph& graph);

/// The same for what is computed from inputs too, or taken from them, as the biases of distances.
std::vector<bool> nodes_made_of_inputs(const Graph& graph);

namespace detail {

/// A product of so many terms takes as long as a store and some loads of what it gives.
inline constexpr std::int64_t most_terms = 128;

/// About how many elements `shape` has: a symbol counts as a size that is neither small nor large.
std::int64_t typical_elements(const Shape& shape);

/// Whether a value of `type` has rows and columns, and takes more bytes than are kept.
bool is_large(const TensorType& type, const AgainRules& rules);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/rewrite/rematerialize.ipp>
#endif
