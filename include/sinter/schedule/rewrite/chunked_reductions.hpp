#pragma once
// Splits reductions over their first axis into chunks, which threads share. The partial results can
// be fused with kernels over the same rows.

#include <algorithm>  // std::max, std::min

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/worklist.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/schedule/rewrite/rfactor.hpp>
#include <sinter/schedule/rewrite/serial_totals.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/node.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Whether `extent` is a short expression: the number of chunks and their rows occur in every index.
inline bool is_short(Extent extent) {
  return extent.is_number() || (terms_of(extent).size() == 1 && !extent.node()->divides);
}

// The number of chunks for `rows`. Even a few rows become two chunks, so that the reduction can
// fuse with kernels over the same rows.
inline std::int64_t chunk_count(std::int64_t rows, const ChunkLimits& limits) {
  return std::min(limits.most, std::max(rows / limits.fewest_rows, limits.fewest));
}

// The same for an unknown number of rows.
inline Extent chunk_count(Extent rows, Extent elements, const ChunkLimits& limits) {
  Extent result = floor_div(rows, limits.fewest_rows);
  const auto length = coefficient_of(elements, rows);
  const bool is_small = length && bounds(*length).max <= limits.most_results;
  if (!is_small && is_short(elements)) {
    result = max(result, floor_div(elements, limits.most_elements));
  }
  return max(min(result, limits.most), limits.fewest);
}

// The number of chunks, or 0. `rows` is the extent of the merged leading axes, `leading` of the
// first axis alone. A reduction to a scalar takes the chunks of a reduction of the first axis, if
// those are enough, so that both can share a kernel.
inline Extent chunks_for(Extent rows, Extent leading, Extent results, Extent elements,
                         const ChunkLimits& limits) {
  if (bounds(results).max == 0 || bounds(elements).max == 0) return 0;
  const bool number = same(results, 1);
  if (number && bounds(elements).max < limits.fewest_elements_of_scalar) return 0;
  if (results.is_number() && results.number() > limits.most_results) return 0;
  if (!rows.is_number()) return chunk_count(number ? leading : rows, elements, limits);
  const std::int64_t chunks = chunk_count(leading.number(), limits);
  const bool shares = chunks > limits.fewest && rows.number() <= chunks * limits.most_elements;
  const bool few = proven_less_equal(rows * results * limits.fewest_elements_of_result, elements);
  const bool pays =
      rows.number() >= limits.fewest_rows_split ||
      (rows.number() > 1 && (few || bounds(elements).max <= limits.most_small_elements));
  return number && shares ? chunks : pays ? chunk_count(rows.number(), limits) : 0;
}

// Whether `value` is computed, elementwise or by gathers, from reductions to more than a scalar.
inline bool is_of_rows(const Graph& graph, Value value) {
  Worklist<NodeId> pending{value.node};
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const Node& node = graph[pending[i]];
    if (node.results[0].shape.empty()) continue;
    if (is_reduction(node.op) && !same(numel(node.results[0].shape), 1)) return true;
    if (node.op == Op::gather) pending.add(node.inputs[0].node);
    if (!is_elementwise(node.op) && !is_movement(node.op)) continue;
    for (const Value input : node.inputs) pending.add(input.node);
  }
  return false;
}

// How `node` is rfactored, after merging its leading axes.
inline Rfactor chunks_of(const Graph& graph, const Node& node, const ChunkLimits& limits) {
  Rfactor result{.fuses = true};
  const auto& axes = numbers(node, "axes");
  Extent results = 1, elements = 1, leading = 0;
  bool leads = true;  // all axes so far are reduced and merged
  int looped = 0;     // the number of axes with more than one element
  const Shape& shape = graph.type(node.inputs[0]).shape;
  for (int axis = 0; axis < shape.size(); ++axis) {
    const bool reduced = contains(axes, axis);
    elements *= shape[axis];
    looped += same(shape[axis], 1) ? 0 : 1;
    if (same(shape[axis], 1) && leads) continue;
    if (!reduced) results *= shape[axis];
    leads = leads && reduced;
    if (result.shape.empty()) leading = shape[axis];
    if (leads && !result.shape.empty()) {
      const Extent both = result.shape[0] * shape[axis];
      leads = is_short(both);
      if (leads) {
        result.shape[0] = both;
        continue;
      }
    }
    if (reduced) result.axes.push_back(result.shape.size());
    result.shape.push_back(shape[axis]);
  }
  const bool is_row =  // a single row of unknown length, which may be short
      looped == 1 && !elements.is_number() && !is_of_rows(graph, node.inputs[0]);
  const bool fits =
      !is_row && !result.axes.empty() && result.axes[0] == 0 && result.shape.size() < max_rank;
  if (fits) result.parts = chunks_for(result.shape[0], leading, results, elements, limits);
  return result;
}

}  // namespace detail

/// `graph` with each large sum, product, maximum or minimum along the first axis in chunks of that
/// axis: see rfactor().
inline Optional<Graph> rfactor_into_chunks(const Graph& graph, const Target& target = {}) {
  const detail::SerialTotals totals{graph, target};
  return rfactor(graph, [&](const Graph& of, const Node& node, NodeId id) {
    const Rfactor result = detail::chunks_of(of, node, target.chunks);
    return !same(result.parts, 0) && totals.is_serial(id) ? Rfactor{} : result;
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
