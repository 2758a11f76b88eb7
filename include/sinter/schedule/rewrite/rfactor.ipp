#pragma once

#include <algorithm>  // std::max, std::min
#include <limits>     // std::numeric_limits
#include <vector>     // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/schedule/rewrite/column_reductions.hpp>
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

// How to rfactor a reduction, after merging its leading axes.
struct Rfactor {
  Shape merged{};     // the shape of the operand with merged axes
  AxisList axes{};    // the reduced axes of `merged`
  Extent chunks = 0;  // 0 if the reduction should stay whole
};

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

SINTER_INLINE Rfactor rfactor_of(const Graph& graph, const Node& node) {
  const bool combines = is_reduction(node.op) && node.op != Op::argmax;
  Rfactor result;
  if (!combines || node.results[0].dtype == boolean) return result;
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
    if (result.merged.empty()) leading = shape[axis];
    if (leads && !result.merged.empty()) {
      const Extent both = result.merged[0] * shape[axis];
      leads = is_short(both);
      if (leads) {
        result.merged[0] = both;
        continue;
      }
    }
    if (reduced) result.axes.push_back(result.merged.size());
    result.merged.push_back(shape[axis]);
  }
  const bool is_row =  // a single row of unknown length, which may be short
      looped == 1 && !elements.is_number() && !is_of_rows(graph, node.inputs[0]);
  const bool fits =
      !is_row && !result.axes.empty() && result.axes[0] == 0 && result.merged.size() < max_rank;
  if (fits) result.chunks = chunks_for(result.merged[0], leading, results, elements);
  return result;
}

// Whether chunks can be padded with an identity. Integer maxima and minima are not split, since
// their identity could not be told from data.
SINTER_INLINE bool can_be_padded(Op op, DType dtype) {
  return is_floating(dtype) || (op != Op::max && op != Op::min);
}

// The identity of `op` for floating-point numbers, and of sums and products for other dtypes.
SINTER_INLINE double identity_of_reduction(Op op) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (op == Op::max) return -infinity;
  if (op == Op::min) return infinity;
  return op == Op::prod ? 1 : 0;
}

// Reshapes x from [rows, ...] to [chunks, rows of a chunk, ...], padded with the identity of `op`.
SINTER_INLINE Value split_rows(Builder& builder, Value x, Extent chunks, Op op) {
  const Shape shape = builder.shape(x);
  const Extent rows = ceil_div(shape[0], chunks);
  const Extent missing = rows * chunks - shape[0];
  if (!same(missing, 0)) {
    Shape none = shape, high = shape;
    for (int i = 0; i < shape.size(); ++i) none[i] = high[i] = 0;
    high[0] = missing;
    x = builder.pad(x, none, high, constant(identity_of_reduction(op), builder.dtype(x)));
  }
  Shape split{chunks, rows};
  for (int i = 1; i < shape.size(); ++i) split.push_back(shape[i]);
  return builder.reshape(x, split);
}

// How a column reduction is rfactored: all axes but the last are merged.
SINTER_INLINE Rfactor column_rfactor_of(const Graph& graph, const Node& node) {
  const Shape& shape = graph.type(node.inputs[0]).shape;
  const Extent columns = shape[shape.size() - 1];
  Extent rows = 1;
  for (int axis = 0; axis + 1 < shape.size(); ++axis) rows *= shape[axis];
  return {{rows, columns}, {0}, column_reduction_chunks(rows, columns.number())};
}

SINTER_INLINE Vector<Value> rfactored(Builder& builder, const Node& node, const Rfactor& how) {
  if (same(how.chunks, 0)) return {};
  const DType dtype = node.results[0].dtype, wide = computed_in(dtype);
  if (!can_be_padded(node.op, dtype)) return {};
  Value x = builder.cast(node.inputs[0], wide);
  x = split_rows(builder, builder.reshape(x, how.merged), how.chunks, node.op);
  AxisList inner;
  for (const std::int64_t axis : how.axes) inner.push_back(axis + 1);
  const Value partial = builder.reduce(node.op, x, inner);
  const Value total = builder.reduce(node.op, partial, {0});
  return {builder.cast(builder.reshape(total, node.results[0].shape), dtype)};
}

// The reader of each node, -1 if it has none, -2 if it has several.
SINTER_INLINE std::vector<std::int64_t> only_readers(const Graph& graph) {
  std::vector<std::int64_t> result(graph.nodes.size(), -1);
  const auto add = [&](Value value, std::int64_t reader) {
    result[value.node] = result[value.node] == -1 ? reader : -2;
  };
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    for (const Value input : graph[id].inputs) add(input, id);
  }
  for (const Value output : graph.outputs) add(output, -2);
  return result;
}

// Whether `node` pads the end of the first axis with the identity of `op`.
SINTER_INLINE bool pads_with_identity(const Node& node, Op op) {
  if (node.op != Op::pad || !can_be_padded(op, node.results[0].dtype)) return false;
  const Shape &low = attribute<Shape>(node, "low"), &high = attribute<Shape>(node, "high");
  for (int axis = 0; axis < low.size(); ++axis) {
    if (!same(low[axis], 0) || (axis > 0 && !same(high[axis], 0))) return false;
  }
  const DType dtype = node.results[0].dtype;
  return attribute<Constant>(node, "value") == constant(identity_of_reduction(op), dtype);
}

SINTER_INLINE bool reduces_chunks(const Node& reader, const Node& node) {
  const auto& axes = numbers(node, "axes");
  return reader.op == node.op && numbers(reader, "axes") == AxisList{0} && axes[0] == 1;
}

// Whether the shape `split` is that of `whole` with its first axis, possibly padded, split in two.
SINTER_INLINE bool splits_first(const Shape& whole, const Shape& split) {
  if (whole.size() + 1 != split.size() || bounds(split[0]).min < 1) return false;
  for (int axis = 1; axis < whole.size(); ++axis) {
    if (!same(whole[axis], split[axis + 1])) return false;
  }
  return true;
}

// Whether `partial` has the chunks of a column reduction, unlike those of split_reductions().
SINTER_INLINE bool is_column_reduction(const Graph& graph, const PartialReduction& partial) {
  const Shape& shape = graph.type(partial.operand).shape;
  if (shape.size() != 2 || partial.axes != 1 || !shape[1].is_number()) return false;
  const std::int64_t columns = std::max<std::int64_t>(shape[1].number(), 1);
  return same(partial.chunks, column_reduction_chunks(shape[0], columns));
}

}  // namespace detail

SINTER_INLINE Optional<Graph> rfactor_reductions(const Graph& graph) {
  const bool any = any_of(graph.nodes, [&](const Node& node) {
    return !same(detail::rfactor_of(graph, node).chunks, 0);
  });
  if (!any) return {};
  const detail::SerialTotals totals{graph};
  return rewrite_nodes(graph, [&](Builder& builder, const Node& node, NodeId id) {
    if (totals.is_serial(id)) return Vector<Value>();
    return detail::rfactored(builder, node, detail::rfactor_of(builder.graph(), node));
  });
}

SINTER_INLINE Optional<Graph> rfactor_column_reductions(const Graph& graph) {
  const Vector<bool> fusible = fusible_column_reductions(graph);
  if (!contains(fusible, true)) return {};
  return rewrite_nodes(graph, [&](Builder& builder, const Node& node, NodeId id) {
    if (!fusible[id]) return Vector<Value>();
    return detail::rfactored(builder, node, detail::column_rfactor_of(builder.graph(), node));
  });
}

SINTER_INLINE PartialReductions find_partial_reductions(const Graph& graph, bool columns) {
  PartialReductions result;
  const std::vector<std::int64_t> readers = detail::only_readers(graph);
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph[id];
    if (!is_reduction(node.op) || node.op == Op::argmax || readers[id] < 0) continue;
    const Node& split = graph[node.inputs[0].node];
    if (split.op != Op::reshape || split.results[0].shape.size() < 2) continue;
    if (!detail::reduces_chunks(graph[static_cast<NodeId>(readers[id])], node)) continue;
    Value operand = split.inputs[0];
    if (detail::pads_with_identity(graph[operand.node], node.op))
      operand = graph[operand.node].inputs[0];
    const Shape& shape = split.results[0].shape;
    if (!detail::splits_first(graph.type(operand).shape, shape)) continue;
    PartialReduction partial{operand, 0, shape[0]};
    for (const std::int64_t axis : numbers(node, "axes")) partial.axes |= 1u << (axis - 1);
    if (!columns || detail::is_column_reduction(graph, partial)) result.emplace(id, partial);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
