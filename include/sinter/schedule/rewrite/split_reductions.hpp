#pragma once
// Splits large reductions with few results into two reductions, so that many threads can share
// them.

#include <algorithm>  // std::min

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/domain.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/schedule/rewrite/rfactor.hpp>
#include <sinter/schedule/rewrite/serial_totals.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Whether `value` is computed elementwise from a batched product.
inline bool is_of_batched_product(const Graph& graph, Value value) {
  return any_source(graph, value, [](const Node& node) {
    return node.op == Op::dot_general && !numbers(node, "lhs_batch").empty();
  });
}

// Whether `node` reduces rows of a batched product, as in attention with few queries: a row-tiled
// kernel computes the rows where it reduces them, and splits of them would have to be in memory.
inline bool is_row_tiled_reduction(const Graph& graph, const Node& node) {
  const Shape& shape = graph.type(node.inputs[0]).shape;
  return numbers(node, "axes") == AxisList{shape.size() - 1} &&
         numel(node.results[0].shape).number() > 1 && is_of_batched_product(graph, node.inputs[0]);
}

inline bool is_split(const Graph& graph, const Node& node, const Target& target) {
  if (!is_floating(node.results[0].dtype)) return false;
  const Shape& shape = graph.type(node.inputs[0]).shape;
  const Extent results = numel(node.results[0].shape);
  if (!is_static(shape) || numel(shape).number() <= target.splits.fewest_elements) return false;
  return !can_be_shared(results.number(), numel(shape).number(), target.parallel);
}

// The reduced axis with the largest upper bound.
inline int longest(const Shape& shape, const std::vector<std::int64_t>& axes) {
  int result = static_cast<int>(axes[0]);
  for (const std::int64_t axis : axes) {
    const Extent one = shape[static_cast<int>(axis)], best = shape[result];
    if (bounds(one).max > bounds(best).max) result = static_cast<int>(axis);
  }
  return result;
}

// The number of splits of the longest reduced axis of `node`, which thread blocks reduce; 1 if it
// is not split.
inline std::int64_t splits_for_blocks(const Graph& graph, const Node& node,
                                      const SplitLimits& limits) {
  if (!is_floating(node.results[0].dtype)) return 1;
  const Shape& shape = graph.type(node.inputs[0]).shape;
  const std::vector<std::int64_t>& axes = numbers(node, "axes");
  const int axis = longest(shape, axes);
  const bool rows = contains(axes, static_cast<std::int64_t>(shape.size()) - 1);
  const Extent results = numel(node.results[0].shape), all = numel(shape);
  if (!results.is_number() || shape.size() == max_rank) return 1;
  const std::int64_t count = std::max<std::int64_t>(results.number(), 1);
  const std::int64_t blocks =
      rows ? count : (count + limits.columns_of_block - 1) / limits.columns_of_block;
  if (!all.is_number() || !shape[axis].is_number()) {  // 0 times a symbol is a number
    const bool may_be_long = bounds(all).max > limits.elements_of_block * limits.blocks_of_columns;
    return blocks == 1 && may_be_long && !shape[axis].is_number() ? limits.splits_of_unknown : 1;
  }
  const std::int64_t most = all.number() / blocks / limits.elements_of_block;
  const std::int64_t length = shape[axis].number();
  const std::int64_t busy = rows ? limits.blocks_of_rows : limits.blocks_of_columns;
  const std::int64_t wanted = std::min({2 * busy / blocks, most, length / 16});
  if (blocks >= busy) return 1;
  if (wanted < 2) return 1;
  for (std::int64_t splits = wanted; 2 * splits > wanted; --splits) {
    if (length % splits == 0) return splits;  // no padding
  }
  return wanted;
}

// `node` in `splits` of its longest reduced axis.
inline Rfactor splits_of(const Graph& graph, const Node& node, std::int64_t splits) {
  const Shape& shape = graph.type(node.inputs[0]).shape;
  const std::vector<std::int64_t>& axes = numbers(node, "axes");
  return {.shape = shape, .axes = axes, .axis = longest(shape, axes), .parts = splits};
}

using IsSplit = bool (*)(const Graph& graph, const Node& node, const Target& target);

// `graph` with the reductions that `is_split` accepts in splits, except scalars that one thread
// computes first.
inline Optional<Graph> split_where(const Graph& graph, const Target& target, IsSplit is_split) {
  const SerialTotals totals{graph, target};
  return rfactor(graph, [&](const Graph& of, const Node& node, NodeId id) {
    if (numbers(node, "axes").empty() || !is_split(of, node, target) || totals.is_serial(id))
      return Rfactor{};
    const Rfactor result = splits_of(of, node, target.splits.splits);
    const bool is_long = result.shape[result.axis].number() >= 2 * target.splits.splits;
    return is_long && result.shape.size() < max_rank ? result : Rfactor{};
  });
}

}  // namespace detail

/// `graph` with each sum, product, maximum or minimum of many elements to few results as a
/// reduction over splits of one axis and a reduction over the splits, in a fixed order. Inputs and
/// outputs keep their positions. Nothing if there is no such reduction. Symbolic sizes are left
/// alone.
inline Optional<Graph> split_reductions(const Graph& graph, const Target& target) {
  return detail::split_where(graph, target, detail::is_split);
}

/// The same without rows of batched products, which row-tiled kernels compute: see
/// tile/fuse_row_tiles.hpp. They stay whole without Options::row_tiles, too.
inline Optional<Graph> split_untiled_reductions(const Graph& graph, const Target& target) {
  return detail::split_where(
      graph, target, [](const Graph& of, const Node& node, const Target& to) {
        return detail::is_split(of, node, to) && !detail::is_row_tiled_reduction(of, node);
      });
}

/// The same with splits for thousands of threads, in thread blocks. Reductions of symbolic sizes to
/// a known number of results are split too, since they may be long.
inline Optional<Graph> split_reductions_into_blocks(const Graph& graph, const Target& target) {
  return rfactor(graph, [&](const Graph& of, const Node& node, NodeId) {
    if (numbers(node, "axes").empty()) return Rfactor{};
    const std::int64_t splits = detail::splits_for_blocks(of, node, target.splits);
    return splits > 1 ? detail::splits_of(of, node, splits) : Rfactor{};
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
