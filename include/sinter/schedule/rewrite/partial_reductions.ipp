#pragma once

#include <algorithm>  // std::any_of, std::count, std::find, std::max, std::min
#include <limits>     // std::numeric_limits
#include <vector>     // std::vector

#include <sinter/graph/rewrite.hpp>
#include <sinter/schedule/rewrite/column_reductions.hpp>
#include <sinter/schedule/rewrite/partial_reductions.hpp>
#include <sinter/schedule/rewrite/serial_totals.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/node.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Enough for the threads of any machine to share, and few enough to combine quickly.
inline constexpr std::int64_t fewest_chunks = 2, most_chunks = 64;
// A chunk of fewer rows costs more to combine than to compute.
inline constexpr std::int64_t fewest_rows_of_chunk = 8;
// The results of a chunk stay in the second cache.
inline constexpr std::int64_t most_results_of_chunk = 32768;
// Fewer rows are as many results again, which only matters where they are not short, and each
// result is of few elements.
inline constexpr std::int64_t fewest_rows_chunked = 4, most_small_elements = 4096;
inline constexpr std::int64_t fewest_elements_of_result = 64;
// One thread has done fewer elements of a row before a second one has started.
inline constexpr std::int64_t fewest_numbers_chunked = 65536;
// So many numbers of a chunk leave enough chunks to share.
inline constexpr std::int64_t most_numbers_of_chunk = 1 << 18;

// Whether `extent` is short where it is written out. How many chunks there are, and of how many
// rows, stands in each index.
SINTER_INLINE bool is_short(Extent extent) {
  return extent.is_number() || (terms_of(extent).size() == 1 && !extent.node()->divides);
}

// The reduction of `shape`, its first axes made one.
struct Chunking {
  Shape merged{};     // of the operand
  AxisList axes{};    // of it that are reduced
  Extent chunks = 0;  // 0 if there had better be none
};

// In how many chunks `rows` had better be reduced: a few of them still in two, so that what goes
// over them anyway takes them along.
SINTER_INLINE std::int64_t chunks_of_rows(std::int64_t rows) {
  return std::min(most_chunks, std::max(rows / fewest_rows_of_chunk, fewest_chunks));
}

// The same where the number of rows is not known.
SINTER_INLINE Extent chunks_of_rows(Extent rows, Extent elements) {
  Extent result = floor_div(rows, fewest_rows_of_chunk);
  const auto length = coefficient_of(elements, rows);
  const bool is_small = length && bounds(*length).max <= most_results_of_chunk;
  if (!is_small && is_short(elements)) {
    result = max(result, floor_div(elements, most_numbers_of_chunk));
  }
  return max(min(result, most_chunks), fewest_chunks);
}

// `rows`: of the first axes, made one; `leading`: of the first alone. What reduces all has, where
// that is enough, the chunks of what reduces the first axis, so that both can share a kernel.
SINTER_INLINE Extent chunks_of(Extent rows, Extent leading, Extent results, Extent elements) {
  if (bounds(results).max == 0 || bounds(elements).max == 0) return 0;
  const bool number = same(results, 1);
  if (number && bounds(elements).max < fewest_numbers_chunked) return 0;
  if (results.is_number() && results.number() > most_results_of_chunk) return 0;
  if (!rows.is_number()) return chunks_of_rows(number ? leading : rows, elements);
  const std::int64_t chunks = chunks_of_rows(leading.number());
  const bool shares = chunks > fewest_chunks && rows.number() <= chunks * most_numbers_of_chunk;
  const bool few = proven_less_equal(rows * results * fewest_elements_of_result, elements);
  const bool pays = rows.number() >= fewest_rows_chunked ||
                    (rows.number() > 1 && (few || bounds(elements).max <= most_small_elements));
  return number && shares ? chunks : pays ? chunks_of_rows(rows.number()) : 0;
}

// Whether `value`, with what is computed element by element on the way to it or taken, has results
// of rows.
SINTER_INLINE bool is_of_rows(const Graph& graph, Value value) {
  std::vector<NodeId> open{value.node};
  std::vector<char> seen(graph.nodes.size());
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    if (seen[id] || graph.type({id, 0}).shape.empty()) continue;
    seen[id] = 1;
    const Node& node = graph[id];
    if (is_reduction(node.op) && !same(numel(node.results[0].shape), 1)) return true;
    if (node.op == Op::gather) open.push_back(node.inputs[0].node);
    if (!is_elementwise(node.op) && !is_movement(node.op)) continue;
    for (const Value input : node.inputs) open.push_back(input.node);
  }
  return false;
}

SINTER_INLINE Chunking chunking(const Graph& graph, const Node& node) {
  const bool combines = is_reduction(node.op) && node.op != Op::argmax;
  Chunking result;
  if (!combines || node.results[0].dtype == boolean) return result;
  const auto& axes = numbers(node, "axes");
  Extent results = 1, elements = 1, leading = 0;
  bool leads = true;  // only axes of the first run were met
  int looped = 0;     // axes of more than one element
  const Shape& shape = graph.type(node.inputs[0]).shape;
  for (int axis = 0; axis < shape.size(); ++axis) {
    const bool reduced = std::find(axes.begin(), axes.end(), axis) != axes.end();
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
  const bool is_row =  // which may be short
      looped == 1 && !elements.is_number() && !is_of_rows(graph, node.inputs[0]);
  const bool fits =
      !is_row && !result.axes.empty() && result.axes[0] == 0 && result.merged.size() < max_rank;
  if (fits) result.chunks = chunks_of(result.merged[0], leading, results, elements);
  return result;
}

// Extremes of integers are not put into chunks: what is neutral to them is a number like others.
SINTER_INLINE bool has_chunks(Op op, DType dtype) {
  return is_floating(dtype) || (op != Op::max && op != Op::min);
}

// What adds nothing to an `op` of floating numbers, or to a sum or product of others.
SINTER_INLINE double neutral_of(Op op) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (op == Op::max) return -infinity;
  if (op == Op::min) return infinity;
  return op == Op::prod ? 1 : 0;
}

// x of [rows, ...] as [chunks, rows of a chunk, ...].
SINTER_INLINE Value in_chunks(Builder& builder, Value x, Extent chunks, Op op) {
  const Shape shape = builder.shape(x);
  const Extent rows = ceil_div(shape[0], chunks);
  const Extent missing = rows * chunks - shape[0];
  if (!same(missing, 0)) {
    Shape none = shape, high = shape;
    for (int i = 0; i < shape.size(); ++i) none[i] = high[i] = 0;
    high[0] = missing;
    x = builder.pad(x, none, high, constant(neutral_of(op), builder.dtype(x)));
  }
  Shape split{chunks, rows};
  for (int i = 1; i < shape.size(); ++i) split.push_back(shape[i]);
  return builder.reshape(x, split);
}

// The same on a GPU, of what is reduced beside rows: all axes but the last are made one.
SINTER_INLINE Chunking chunking_beside_rows(const Graph& graph, const Node& node) {
  const Shape& shape = graph.type(node.inputs[0]).shape;
  const Extent columns = shape[shape.size() - 1];
  Extent rows = 1;
  for (int axis = 0; axis + 1 < shape.size(); ++axis) rows *= shape[axis];
  return {{rows, columns}, {0}, chunks_beside_rows(rows, columns.number())};
}

SINTER_INLINE std::vector<Value> chunked(Builder& builder, const Node& node, const Chunking& how) {
  if (same(how.chunks, 0)) return {};
  const DType dtype = node.results[0].dtype, wide = computed_in(dtype);
  if (!has_chunks(node.op, dtype)) return {};
  Value x = builder.cast(node.inputs[0], wide);
  x = in_chunks(builder, builder.reshape(x, how.merged), how.chunks, node.op);
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

// Whether `node` is a pad behind the first axis by what does not change an `op`.
SINTER_INLINE bool adds_nothing(const Node& node, Op op) {
  if (node.op != Op::pad || !has_chunks(op, node.results[0].dtype)) return false;
  const Shape &low = attribute<Shape>(node, "low"), &high = attribute<Shape>(node, "high");
  for (int axis = 0; axis < low.size(); ++axis) {
    if (!same(low[axis], 0) || (axis > 0 && !same(high[axis], 0))) return false;
  }
  const DType dtype = node.results[0].dtype;
  return attribute<Constant>(node, "value") == constant(neutral_of(op), dtype);
}

SINTER_INLINE bool combines_chunks(const Node& reader, const Node& node) {
  const auto& axes = numbers(node, "axes");
  return reader.op == node.op && numbers(reader, "axes") == AxisList{0} && axes[0] == 1;
}

// Whether `split` has the first axis of `whole`, with what was added to it, as two, and the others.
SINTER_INLINE bool splits_first(const Shape& whole, const Shape& split) {
  if (whole.size() + 1 != split.size() || bounds(split[0]).min < 1) return false;
  for (int axis = 1; axis < whole.size(); ++axis) {
    if (!same(whole[axis], split[axis + 1])) return false;
  }
  return true;
}

// Whether `partial` has the chunks of a reduction beside rows: others are in parts for themselves.
SINTER_INLINE bool is_beside_rows(const Graph& graph, const Partial& partial) {
  const Shape& shape = graph.type(partial.operand).shape;
  if (shape.size() != 2 || partial.axes != 1 || !shape[1].is_number()) return false;
  const std::int64_t columns = std::max<std::int64_t>(shape[1].number(), 1);
  return same(partial.chunks, chunks_beside_rows(shape[0], columns));
}

}  // namespace detail

SINTER_INLINE std::optional<Graph> reduce_in_chunks(const Graph& graph) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return !same(detail::chunking(graph, node).chunks, 0);
  });
  if (!any) return {};
  const detail::TotalFinder totals{graph};
  return rewrite_nodes(graph, [&](Builder& builder, const Node& node, NodeId id) {
    if (totals.is_first(id)) return std::vector<Value>();
    return detail::chunked(builder, node, detail::chunking(builder.graph(), node));
  });
}

SINTER_INLINE std::optional<Graph> reduce_beside_rows(const Graph& graph,
                                                      const std::vector<bool>& alone) {
  std::vector<bool> beside = reduced_beside_rows(graph);
  const auto count = static_cast<std::size_t>(std::count(beside.begin(), beside.end(), true));
  std::size_t next = 0;
  for (NodeId id = 0; id < beside.size() && alone.size() == count; ++id) {
    if (beside[id]) beside[id] = !alone[next++];
  }
  if (std::find(beside.begin(), beside.end(), true) == beside.end()) return {};
  return rewrite_nodes(graph, [&](Builder& builder, const Node& node, NodeId id) {
    if (!beside[id]) return std::vector<Value>();
    return detail::chunked(builder, node, detail::chunking_beside_rows(builder.graph(), node));
  });
}

SINTER_INLINE Partials find_partials(const Graph& graph, bool gpu) {
  Partials result;
  const std::vector<std::int64_t> readers = detail::only_readers(graph);
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    const Node& node = graph[id];
    if (!is_reduction(node.op) || node.op == Op::argmax || readers[id] < 0) continue;
    const Node& split = graph[node.inputs[0].node];
    if (split.op != Op::reshape || split.results[0].shape.size() < 2) continue;
    if (!detail::combines_chunks(graph[static_cast<NodeId>(readers[id])], node)) continue;
    Value operand = split.inputs[0];
    if (detail::adds_nothing(graph[operand.node], node.op)) operand = graph[operand.node].inputs[0];
    const Shape& shape = split.results[0].shape;
    if (!detail::splits_first(graph.type(operand).shape, shape)) continue;
    Partial partial{operand, 0, shape[0]};
    for (const std::int64_t axis : numbers(node, "axes")) partial.axes |= 1u << (axis - 1);
    if (!gpu || detail::is_beside_rows(graph, partial)) result.emplace(id, partial);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
