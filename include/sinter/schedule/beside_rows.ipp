#pragma once

#include <algorithm>  // std::all_of, std::clamp, std::max, std::min
#include <bit>        // std::bit_floor
#include <set>        // std::set

#include <sinter/schedule/access.hpp>
#include <sinter/schedule/beside_rows.hpp>
#include <sinter/schedule/domain.hpp>
#include <sinter/symbol/interval.hpp>

namespace sinter::inline SINTER_ABI::schedule {

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

// What the elements of a value are computed of, element by element.
struct Ancestry {
  std::set<NodeId> sources{};  // of as many elements
  bool is_of_rows = false;     // whether results of these rows are among them

  Ancestry(const Graph& graph, Value of) {
    const Shape& shape = graph.type(of).shape;
    const Extent elements = numel(shape), columns = shape[shape.size() - 1];
    std::vector<Value> open{of};
    std::set<NodeId> seen;
    while (!open.empty()) {
      const NodeId id = open.back().node;
      open.pop_back();
      if (!seen.insert(id).second) continue;
      const Node& node = graph[id];
      const bool reduces = is_reduction(node.op) && of_rows(graph, node, elements, columns);
      is_of_rows = is_of_rows || reduces;
      if (reduces || is_elementwise(node.op) || is_movement(node.op)) {
        open.insert(open.end(), node.inputs.begin(), node.inputs.end());
      } else if (same(numel(node.results[0].shape), elements)) {
        sources.insert(id);
      }
    }
  }

 private:
  static bool of_rows(const Graph& graph, const Node& node, Extent elements, Extent columns) {
    const Shape& shape = graph.type(node.inputs[0]).shape;
    const int last = shape.size() - 1;
    return last >= 1 && numbers(node, "axes") == AxisList{last} && same(shape[last], columns) &&
           same(numel(shape), elements);
  }
};

}  // namespace detail

SINTER_INLINE std::vector<bool> reduced_beside_rows(const Graph& graph) {
  std::vector<bool> result(graph.nodes.size(), false);
  std::set<NodeId> near;
  for (const bool beside : {false, true}) {
    for (NodeId id = 0; id < graph.nodes.size(); ++id) {
      if (result[id] || !detail::reduces_many_rows(graph, graph[id])) continue;
      if (beside && near.empty()) return result;
      const detail::Ancestry known(graph, graph[id].inputs[0]);
      const bool read = std::all_of(known.sources.begin(), known.sources.end(),
                                    [&](NodeId source) { return near.count(source) != 0; });
      result[id] = known.is_of_rows || (beside && read && !known.sources.empty());
      if (known.is_of_rows) near.insert(known.sources.begin(), known.sources.end());
    }
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

}  // namespace sinter::inline SINTER_ABI::schedule
