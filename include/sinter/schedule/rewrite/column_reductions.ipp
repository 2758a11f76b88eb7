#pragma once

#include <algorithm>  // std::any_of, std::clamp, std::max, std::min
#include <bit>        // std::bit_floor
#include <utility>    // std::move

#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/domain.hpp>
#include <sinter/schedule/rewrite/column_reductions.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Shorter rows keep too little of the memory busy, one for each warp; the numbers of longer ones
// leave no room for what is reduced.
inline constexpr std::int64_t fewest_columns_beside = 512, most_columns_beside = 8192;
// Fewer rows do not keep a GPU busy in chunks of several.
inline constexpr std::int64_t fewest_rows_beside = 1024, rows_of_chunk_beside = 4;
// Numbers that are enough where each chunk has a row of them underway.
inline constexpr std::int64_t numbers_underway = std::int64_t{1} << 20;
inline constexpr std::int64_t fewest_chunks_beside = 512, most_chunks_beside = 2048;

// Whether `node` has a result for each of its columns, of rows as above.
SINTER_INLINE bool reduces_many_rows(const Graph& graph, const Node& node) {
  if (!is_reduction(node.op) || node.op == Op::argmax) return false;
  if (!is_floating(node.results[0].dtype)) return false;
  const Shape& shape = graph.type(node.inputs[0]).shape;
  const int last = shape.size() - 1;
  if (last < 1 || !shape[last].is_number()) return false;
  const std::int64_t columns = shape[last].number();
  if (columns < fewest_columns_beside || columns > most_columns_beside) return false;
  const std::uint32_t reduced = mask_of(numbers(node, "axes"));
  Extent rows = 1;
  for (int axis = 0; axis < last; ++axis) {
    if ((reduced >> axis & 1) == 0 && !same(shape[axis], 1)) return false;
    rows *= shape[axis];
  }
  return (reduced >> last & 1) == 0 && bounds(rows).max >= fewest_rows_beside;
}

// What the nodes of a graph are to rows of so many elements in all.
class RowSpace {
 public:
  RowSpace(const Graph& graph, Value of)
      : graph_(graph), elements_(numel(graph.type(of).shape)), columns_(last_extent(of)) {
    find_rows();
    find_reaching();
  }

  bool has(Value value) const {
    return same(numel(graph_.type(value).shape), elements_) && same(last_extent(value), columns_);
  }

  // Whether a value has elements that are computed, one by one, of what is reduced of their row.
  bool is_of_rows(Value value) const { return of_rows_[value.node]; }

  // Whether what is as large as all rows waits for a node: rows that need it come after it.
  bool is_awaited(NodeId id) const { return reaches_[id]; }

  // That `value` is read beside rows.
  void mark(Value value) { marked_[value.node] = true; }

  // What is read for that, down to what is not computed element by element.
  void mark_operands() {
    for (auto id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;) {
      if (!marked_[id] || !passes(graph_[id])) continue;
      for (const Value input : graph_[id].inputs) marked_[input.node] = true;
    }
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      const Node& node = graph_[id];
      if (!passes(node)) {
        const bool large = same(numel(node.results[0].shape), elements_);
        far_[id] = large && !marked_[id];
        near_[id] = large && marked_[id];
        continue;
      }
      for (const Value input : node.inputs) {
        far_[id] = far_[id] || far_[input.node];
        near_[id] = near_[id] || near_[input.node];
      }
    }
  }

  // Whether a value is computed of what is marked alone.
  bool is_near(Value value) const { return near_[value.node] && !far_[value.node]; }

 private:
  using Flags = std::vector<char>;

  Extent last_extent(Value value) const {
    const Shape& shape = graph_.type(value).shape;
    return shape.empty() ? Extent(1) : shape[shape.size() - 1];
  }

  bool reduces_rows(const Node& node) const {
    if (!is_reduction(node.op)) return false;
    const int last = graph_.type(node.inputs[0]).shape.size() - 1;
    return last >= 1 && numbers(node, "axes") == AxisList{last} && has(node.inputs[0]);
  }

  bool passes(const Node& node) const {
    return is_elementwise(node.op) || is_movement(node.op) || reduces_rows(node);
  }

  void find_rows() {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      const Node& node = graph_[id];
      of_rows_[id] = reduces_rows(node);
      if (of_rows_[id] || !passes(node)) continue;
      of_rows_[id] = std::any_of(node.inputs.begin(), node.inputs.end(),
                                 [&](Value input) { return of_rows_[input.node] != 0; });
    }
  }

  void find_reaching() {
    for (auto id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;) {
      const Node& node = graph_[id];
      if (!passes(node) && !is_reduction(node.op)) continue;
      if (!reaches_[id] && !has({id, 0})) continue;
      for (const Value input : node.inputs) reaches_[input.node] = true;
    }
  }

  const Graph& graph_;
  Extent elements_, columns_;
  Flags of_rows_ = flags(), reaches_ = flags(), marked_ = flags(), near_ = flags(), far_ = flags();

  Flags flags() const { return Flags(graph_.nodes.size()); }
};

// Of `candidates`, all of one space, those that are of its rows, and those that only read the same.
SINTER_INLINE void find_beside(RowSpace& space, const Graph& graph,
                               const std::vector<NodeId>& candidates, std::vector<bool>& result) {
  for (const NodeId id : candidates) {
    result[id] = space.is_of_rows(graph[id].inputs[0]);
    if (result[id]) space.mark(graph[id].inputs[0]);
  }
  space.mark_operands();
  for (const NodeId id : candidates) {
    if (space.is_near(graph[id].inputs[0])) result[id] = true;
  }
}

}  // namespace detail

SINTER_INLINE std::vector<bool> reduced_beside_rows(const Graph& graph) {
  std::vector<bool> result(graph.nodes.size(), false);
  std::vector<NodeId> open;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (detail::reduces_many_rows(graph, graph[id])) open.push_back(id);
  }
  while (!open.empty()) {
    detail::RowSpace space(graph, graph[open[0]].inputs[0]);
    std::vector<NodeId> others, candidates;
    for (const NodeId id : open) {
      const bool fits = space.has(graph[id].inputs[0]);
      if (!fits) others.push_back(id);
      if (fits && !space.is_awaited(id)) candidates.push_back(id);
    }
    detail::find_beside(space, graph, candidates, result);
    open = std::move(others);
  }
  return result;
}

SINTER_INLINE Extent chunks_beside_rows(Extent rows, std::int64_t columns) {
  const auto most = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(
      std::clamp(detail::numbers_underway / columns, detail::fewest_chunks_beside,
                 detail::most_chunks_beside))));
  if (!rows.is_number()) return max(min(rows, most), 1);
  const std::int64_t few = std::max<std::int64_t>(rows.number() / detail::rows_of_chunk_beside, 1);
  return std::min(most, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(few))));
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
