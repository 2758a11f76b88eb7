#pragma once
// Column reductions that a GPU fuses into the kernel that computes the rows, as partial reductions:
// gradients of the gains and biases of a norm, for example. A kernel of their own would read all
// rows again.

#include <algorithm>  // std::clamp, std::max, std::min
#include <bit>        // std::bit_floor
#include <cstdint>    // std::int64_t
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/domain.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/schedule/rewrite/rfactor.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The number of chunks in which a GPU reduces `rows` of `columns` elements, one per thread block
/// or warp: enough to keep the memory busy, and few compared with the rows.
inline Extent column_reduction_chunks(Extent rows, std::int64_t columns,
                                      const ColumnLimits& limits = {}) {
  const auto most = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(
      std::clamp(limits.elements_in_flight / columns, limits.fewest_chunks, limits.most_chunks))));
  if (!rows.is_number()) return max(min(rows, most), 1);
  const std::int64_t few = std::max<std::int64_t>(rows.number() / limits.rows_of_chunk, 1);
  return std::min(most, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(few))));
}

namespace detail {

// Whether `node` reduces the columns of enough rows of moderate length.
inline bool reduces_many_rows(const Graph& graph, const Node& node, const ColumnLimits& limits) {
  if (!is_reduction(node.op) || node.op == Op::argmax) return false;
  if (!is_floating(node.results[0].dtype)) return false;
  const Shape& shape = graph.type(node.inputs[0]).shape;
  const int last = shape.size() - 1;
  if (last < 1 || !shape[last].is_number()) return false;
  const std::int64_t columns = shape[last].number();
  if (columns < limits.fewest || columns > limits.most) return false;
  const std::uint32_t reduced = mask_of(numbers(node, "axes"));
  Extent rows = 1;
  for (int axis = 0; axis < last; ++axis) {
    if ((reduced >> axis & 1) == 0 && !same(shape[axis], 1)) return false;
    rows *= shape[axis];
  }
  return (reduced >> last & 1) == 0 && bounds(rows).max >= limits.fewest_rows;
}

// Relates the nodes of a graph to the rows of one value: its size and row length.
class RowSpace {
 public:
  RowSpace(const Graph& graph, Value of)
      : graph_(graph), elements_(numel(graph.type(of).shape)), columns_(last_extent(of)) {
    find_rows();
    find_needed_by_rows();
  }

  bool has(Value value) const {
    return same(numel(graph_.type(value).shape), elements_) && same(last_extent(value), columns_);
  }

  // Whether `value` is computed elementwise from reductions of its rows.
  bool is_of_rows(Value value) const { return of_rows_[value.node]; }

  // Whether a value of the size of all rows depends on the node `id`.
  bool is_needed_by_rows(NodeId id) const { return needed_by_rows_[id]; }

  // Notes that the kernel that computes the rows reads `value`.
  void mark_read(Value value) { read_by_rows_[value.node] = true; }

  // Marks the sources of the marked values, and finds the nodes that have only those as sources.
  void mark_sources() {
    for (auto id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;) {
      if (!read_by_rows_[id] || !is_rowwise(graph_[id])) continue;
      for (const Value input : graph_[id].inputs) read_by_rows_[input.node] = true;
    }
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      const Node& node = graph_[id];
      if (!is_rowwise(node)) {
        const bool large = same(numel(node.results[0].shape), elements_);
        has_other_source_[id] = large && !read_by_rows_[id];
        has_read_source_[id] = large && read_by_rows_[id];
        continue;
      }
      for (const Value input : node.inputs) {
        has_other_source_[id] = has_other_source_[id] || has_other_source_[input.node];
        has_read_source_[id] = has_read_source_[id] || has_read_source_[input.node];
      }
    }
  }

  // Whether a value is computed from marked sources only.
  bool reads_same_sources(Value value) const {
    return has_read_source_[value.node] && !has_other_source_[value.node];
  }

 private:
  using Flags = Vector<char>;

  Extent last_extent(Value value) const {
    const Shape& shape = graph_.type(value).shape;
    return shape.empty() ? Extent(1) : shape[shape.size() - 1];
  }

  bool reduces_rows(const Node& node) const {
    if (!is_reduction(node.op)) return false;
    const int last = graph_.type(node.inputs[0]).shape.size() - 1;
    return last >= 1 && numbers(node, "axes") == AxisList{last} && has(node.inputs[0]);
  }

  bool is_rowwise(const Node& node) const {
    return is_elementwise(node.op) || is_movement(node.op) || reduces_rows(node);
  }

  void find_rows() {
    for (NodeId id = 0; id < graph_.nodes.size(); ++id) {
      const Node& node = graph_[id];
      of_rows_[id] = reduces_rows(node);
      if (of_rows_[id] || !is_rowwise(node)) continue;
      of_rows_[id] = any_of(node.inputs, [&](Value input) { return of_rows_[input.node] != 0; });
    }
  }

  void find_needed_by_rows() {
    for (auto id = static_cast<NodeId>(graph_.nodes.size()); id-- > 0;) {
      const Node& node = graph_[id];
      if (!is_rowwise(node) && !is_reduction(node.op)) continue;
      if (!needed_by_rows_[id] && !has({id, 0})) continue;
      for (const Value input : node.inputs) needed_by_rows_[input.node] = true;
    }
  }

  const Graph& graph_;
  Extent elements_, columns_;
  Flags of_rows_ = flags(), needed_by_rows_ = flags(), read_by_rows_ = flags(),
        has_read_source_ = flags(), has_other_source_ = flags();

  Flags flags() const { return Flags(graph_.nodes.size()); }
};

// Bytes of a partial result of the column reduction `node`.
inline std::int64_t partial_bytes_of(const Graph& graph, const Node& node) {
  const DType dtype = computed_in(node.results[0].dtype);
  return graph.type(node.inputs[0]).shape[-1].number() *
         static_cast<std::int64_t>(info(dtype).size);
}

// Marks the `candidates`, all of one space, that are computed from reductions of its rows, and
// those that read the same sources, until their partial results have `most_bytes`.
inline void find_fusible(RowSpace& space, const Graph& graph, const Vector<NodeId>& candidates,
                         std::int64_t most_bytes, Vector<bool>& result) {
  for (const NodeId id : candidates) {
    result[id] = space.is_of_rows(graph[id].inputs[0]);
    if (result[id]) space.mark_read(graph[id].inputs[0]);
  }
  space.mark_sources();
  for (const NodeId id : candidates) {
    if (space.reads_same_sources(graph[id].inputs[0])) result[id] = true;
  }
  std::int64_t bytes = 0;
  for (const NodeId id : candidates) {
    if (!result[id]) continue;
    const std::int64_t more = partial_bytes_of(graph, graph[id]);
    result[id] = bytes + more <= most_bytes;
    if (result[id]) bytes += more;
  }
}

}  // namespace detail

/// For each node of `graph`: whether it is a fusible column reduction. It reduces all axes but the
/// last, of many rows of moderate length; its operand is computed elementwise from row reductions,
/// or from the same sources as such operands; no value of the size of all rows needs its result;
/// and the partial results of those over the same rows have room in shared memory.
inline Vector<bool> fusible_column_reductions(const Graph& graph, const Target& target) {
  Vector<bool> result(graph.nodes.size(), false);
  Vector<NodeId> pending;
  for (NodeId id = 0; id < graph.nodes.size(); ++id) {
    if (detail::reduces_many_rows(graph, graph[id], target.columns)) pending.push_back(id);
  }
  while (!pending.empty()) {
    detail::RowSpace space(graph, graph[pending[0]].inputs[0]);
    Vector<NodeId> others, candidates;
    for (const NodeId id : pending) {
      const bool fits = space.has(graph[id].inputs[0]);
      if (!fits) others.push_back(id);
      if (fits && !space.is_needed_by_rows(id)) candidates.push_back(id);
    }
    detail::find_fusible(space, graph, candidates, target.most_partial_bytes, result);
    pending = std::move(others);
  }
  return result;
}

/// `graph` with the fusible column reductions in chunks of their rows: see rfactor().
inline Optional<Graph> rfactor_column_reductions(const Graph& graph, const Target& target) {
  const Vector<bool> fusible = fusible_column_reductions(graph, target);
  return rfactor(graph, [&](const Graph& of, const Node& node, NodeId id) {
    if (!fusible[id]) return Rfactor{};
    const Shape& shape = of.type(node.inputs[0]).shape;
    const Extent columns = shape[-1];
    Extent rows = 1;
    for (int axis = 0; axis + 1 < shape.size(); ++axis) rows *= shape[axis];
    return Rfactor{.shape = {rows, columns},
                   .axes = {0},
                   .parts = column_reduction_chunks(rows, columns.number(), target.columns),
                   .fuses = true};
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
