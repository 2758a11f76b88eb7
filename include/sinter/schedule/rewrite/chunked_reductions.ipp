#pragma once

#include <algorithm>  // std::max, std::min

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/schedule/rewrite/chunked_reductions.hpp>
#include <sinter/schedule/rewrite/rfactor.hpp>
#include <sinter/schedule/rewrite/serial_totals.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/node.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Enough chunks for the threads of any machine, and few enough to combine quickly.
inline constexpr std::int64_t fewest_chunks = 2, most_chunks = 64;
// Combining the results of a chunk of fewer rows costs more than computing them.
inline constexpr std::int64_t fewest_rows_of_chunk = 8;
// The results of a chunk stay in the L2 cache.
inline constexpr std::int64_t most_results_of_chunk = 32768;
// With fewer rows, the partial results are a large part of the data; that matters unless the
// operand is small or each result is of many elements.
inline constexpr std::int64_t fewest_rows_split = 4, most_small_elements = 4096;
inline constexpr std::int64_t fewest_elements_of_result = 64;
// One thread has reduced fewer elements to a scalar before a second one has started.
inline constexpr std::int64_t fewest_elements_split_scalar = 65536;
// Chunks of at most so many elements are enough chunks to share.
inline constexpr std::int64_t most_elements_of_chunk = 1 << 18;

// Whether `extent` is a short expression: the number of chunks and their rows occur in every index.
SINTER_INLINE bool is_short(Extent extent) {
  return extent.is_number() || (terms_of(extent).size() == 1 && !extent.node()->divides);
}

// The number of chunks for `rows`. Even a few rows become two chunks, so that the reduction can
// fuse with kernels over the same rows.
SINTER_INLINE std::int64_t chunk_count(std::int64_t rows) {
  return std::min(most_chunks, std::max(rows / fewest_rows_of_chunk, fewest_chunks));
}

// The same for an unknown number of rows.
SINTER_INLINE Extent chunk_count(Extent rows, Extent elements) {
  Extent result = floor_div(rows, fewest_rows_of_chunk);
  const auto length = coefficient_of(elements, rows);
  const bool is_small = length && bounds(*length).max <= most_results_of_chunk;
  if (!is_small && is_short(elements)) {
    result = max(result, floor_div(elements, most_elements_of_chunk));
  }
  return max(min(result, most_chunks), fewest_chunks);
}

// The number of chunks, or 0. `rows` is the extent of the merged leading axes, `leading` of the
// first axis alone. A reduction to a scalar takes the chunks of a reduction of the first axis, if
// those are enough, so that both can share a kernel.
SINTER_INLINE Extent chunks_for(Extent rows, Extent leading, Extent results, Extent elements) {
  if (bounds(results).max == 0 || bounds(elements).max == 0) return 0;
  const bool number = same(results, 1);
  if (number && bounds(elements).max < fewest_elements_split_scalar) return 0;
  if (results.is_number() && results.number() > most_results_of_chunk) return 0;
  if (!rows.is_number()) return chunk_count(number ? leading : rows, elements);
  const std::int64_t chunks = chunk_count(leading.number());
  const bool shares = chunks > fewest_chunks && rows.number() <= chunks * most_elements_of_chunk;
  const bool few = proven_less_equal(rows * results * fewest_elements_of_result, elements);
  const bool pays = rows.number() >= fewest_rows_split ||
                    (rows.number() > 1 && (few || bounds(elements).max <= most_small_elements));
  return number && shares ? chunks : pays ? chunk_count(rows.number()) : 0;
}

// Whether `value` is computed, elementwise or by gathers, from reductions to more than a scalar.
SINTER_INLINE bool is_of_rows(const Graph& graph, Value value) {
  Vector<NodeId> pending{value.node};
  Vector<char> seen(graph.nodes.size());
  while (!pending.empty()) {
    const NodeId id = pending.back();
    pending.pop_back();
    if (seen[id] || graph.type({id, 0}).shape.empty()) continue;
    seen[id] = 1;
    const Node& node = graph[id];
    if (is_reduction(node.op) && !same(numel(node.results[0].shape), 1)) return true;
    if (node.op == Op::gather) pending.push_back(node.inputs[0].node);
    if (!is_elementwise(node.op) && !is_movement(node.op)) continue;
    for (const Value input : node.inputs) pending.push_back(input.node);
  }
  return false;
}

// How `node` is rfactored, after merging its leading axes.
SINTER_INLINE Rfactor chunks_of(const Graph& graph, const Node& node) {
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
  if (fits) result.parts = chunks_for(result.shape[0], leading, results, elements);
  return result;
}

}  // namespace detail

SINTER_INLINE Optional<Graph> rfactor_into_chunks(const Graph& graph) {
  const detail::SerialTotals totals{graph};
  return rfactor(graph, [&](const Graph& of, const Node& node, NodeId id) {
    const Rfactor result = detail::chunks_of(of, node);
    return !same(result.parts, 0) && totals.is_serial(id) ? Rfactor{} : result;
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
