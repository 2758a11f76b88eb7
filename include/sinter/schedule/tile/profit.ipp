#pragma once

#include <algorithm>  // std::all_of, std::any_of, std::clamp, std::count_if, std::find, std::max
#include <cstddef>    // std::ptrdiff_t

#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/schedule/tile/factors.hpp>
#include <sinter/schedule/tile/links.hpp>
#include <sinter/schedule/tile/profit.hpp>
#include <sinter/schedule/tile/row_group.hpp>
#include <sinter/schedule/tile/symbols.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

SINTER_INLINE bool GroupPieces::is_product(const Piece& piece) const {
  return kernels[piece.kernel].is_product && loop_stage(kernel(piece)) != nullptr;
}

SINTER_INLINE bool GroupPieces::has_columns(const Piece& piece) const {
  return is_product(piece) && !columns(piece).empty();
}

SINTER_INLINE const Piece& GroupPieces::piece_of(const Group& group, std::size_t k) const {
  return *std::find_if(group.pieces.begin(), group.pieces.end(),
                       [k](const Piece& piece) { return piece.kernel == k; });
}

SINTER_INLINE int GroupPieces::row_of(const Piece& piece, Extent variable) {
  for (int row = 0; row < piece.rows.size(); ++row) {
    if (same(piece.rows[row], variable)) return row;
  }
  return -1;
}

SINTER_INLINE std::vector<Loop> GroupPieces::columns(const Piece& piece) const {
  std::vector<Loop> result;
  for (const Loop& loop : kernel(piece).grid) {
    if (row_of(piece, loop.variable) < 0) result.push_back(loop);
  }
  return result;
}

SINTER_INLINE bool GroupPieces::has(const Group& group, std::size_t k) const {
  return std::any_of(group.pieces.begin(), group.pieces.end(),
                     [k](const Piece& piece) { return piece.kernel == k; });
}

SINTER_INLINE bool GroupPieces::multiplies(const Piece& piece, NodeId node) const {
  const std::vector<ValueId> all = factors_of(kernel(piece));
  const std::int32_t argument = argument_of(kernels[piece.kernel], node);
  return std::any_of(all.begin(), all.end(),
                     [&](ValueId factor) { return is_made_of(kernel(piece), factor, argument); });
}

SINTER_INLINE bool GroupPieces::is_turned(const Piece& piece) const {
  return is_product(piece) && is_column(kernel(piece), piece.rows[piece.rows.size() - 1]);
}

SINTER_INLINE bool GroupPieces::is_short_row(const Piece& piece) const {
  std::int64_t terms = 1;
  for (const Loop& loop : loop_stage(kernel(piece))->loops) {
    terms = times(terms, bounds(loop.extent).max);
  }
  const std::vector<ValueId> both = factors_of(kernel(piece));
  const auto covers = [&](ValueId wide, ValueId narrow) {
    const std::vector<Loop>& grid = kernel(piece).grid;
    return std::all_of(grid.begin(), grid.end(), [&](const Loop& loop) {
      return goes_along(kernel(piece), wide, loop.variable) ||
             !goes_along(kernel(piece), narrow, loop.variable);
    });
  };
  return terms <= most_shared_width && both.size() == 2 &&
         (covers(both[0], both[1]) || covers(both[1], both[0]));
}

SINTER_INLINE bool GroupPieces::repeats_a_factor(const Piece& piece) const {
  const int last = piece.rows.size() - 1;
  std::int64_t wide = 1;
  for (const Loop& loop : columns(piece)) wide = times(wide, bounds(loop.extent).max);
  if (wide >= columns_to_pack_again) return false;
  const std::vector<ValueId> all = factors_of(kernel(piece));
  return last > 0 && std::any_of(all.begin(), all.end(), [&](ValueId factor) {
           if (!goes_along(kernel(piece), factor, piece.rows[last])) return false;
           for (int row = 0; row < last; ++row) {
             if (goes_along(kernel(piece), factor, piece.rows[row])) return false;
           }
           return true;
         });
}

SINTER_INLINE bool GroupPieces::varies_with(const Piece& piece, const Index& rows) const {
  const Stage& stage = *loop_stage(kernel(piece));
  const Extent last = rows[rows.size() - 1];
  for (const ValueId id : stage.body) {
    const Instruction& one = kernel(piece).instructions[static_cast<std::size_t>(id)];
    if (one.code != Code::load || depends_on(one.index, last)) continue;
    for (int row = 0; row + 1 < rows.size(); ++row) {
      if (depends_on(one.index, rows[row])) return true;
    }
  }
  return false;
}

SINTER_INLINE std::vector<NodeId> GroupCost::handed_on(const Group& group,
                                                       const Piece& piece) const {
  std::vector<NodeId> result;
  for (const NodeId node : kernels[piece.kernel].nodes) {
    if (traces.writer(node) != static_cast<std::int32_t>(piece.kernel)) continue;
    const auto& readers = traces.readers(node);
    const bool read = std::any_of(readers.begin(), readers.end(), [&](std::size_t k) {
      return k != piece.kernel && has(group, k);
    });
    if (read) result.push_back(node);
  }
  return result;
}

SINTER_INLINE bool GroupCost::hands_on_rows(const Group& group) const {
  for (const Piece& piece : group.pieces) {
    for (const NodeId node : handed_on(group, piece)) {
      const std::vector<int> axes = traces.row_axes(piece, node);
      if (axes.empty()) return false;
      for (const std::size_t k : traces.readers(node)) {
        if (has(group, k) && !traces.reads_rows(piece_of(group, k), node, axes)) return false;
      }
    }
  }
  return true;
}

SINTER_INLINE std::int64_t GroupCost::row_bytes(const Group& group) const {
  std::int64_t bytes = 0;
  for (const Piece& piece : group.pieces) {
    for (const NodeId node : handed_on(group, piece)) {
      const std::vector<int> axes = traces.row_axes(piece, node);
      auto size = static_cast<std::int64_t>(info(graph[node].results[0].dtype).size);
      for (int axis = 0; axis < traces.shape(node).size(); ++axis) {
        if (std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
        size = times(size, bounds(traces.shape(node)[axis]).max);
      }
      bytes = size == unbounded ? bytes : bytes + size;
    }
  }
  return bytes;
}

SINTER_INLINE std::int64_t GroupCost::shared_elements(const Piece& piece) const {
  const auto count = [](const std::vector<Loop>& loops) {
    std::int64_t result = 1;
    for (const Loop& loop : loops) result = times(result, bounds(loop.extent).max);
    return result;
  };
  const std::int64_t wide = count(columns(piece));
  const std::int64_t deep = count(loop_stage(kernel(piece))->loops);
  const std::int64_t all = times(wide, deep);
  return all == unbounded || std::min(wide, deep) <= most_shared_width ? 0 : all;
}

SINTER_INLINE bool GroupCost::reads_across(const Group& group, const Piece& piece) const {
  std::vector<Loop> loops = columns(piece);
  for (const Stage& stage : kernel(piece).stages) {
    loops.insert(loops.end(), stage.loops.begin(), stage.loops.end());
  }
  const auto is_across = [&](Extent place) {
    return is_unit(place, piece.rows[piece.rows.size() - 1]) &&
           std::any_of(loops.begin(), loops.end(), [&](const Loop& loop) {
             return depends_on(place, loop.variable) && !is_unit(place, loop.variable);
           });
  };
  for (const NodeId node : kernels[piece.kernel].nodes) {
    const std::int32_t writer = traces.writer(node);
    if (writer >= 0 && has(group, static_cast<std::size_t>(writer))) continue;
    for (const Index& index : traces.indices(piece.kernel, node, Code::load)) {
      if (!is_product(piece) && is_across(linear(index, traces.shape(node)))) return true;
    }
  }
  return false;
}

SINTER_INLINE bool GroupCost::is_unit(Extent index, Extent variable) {
  const auto step = coefficient_of(index, variable);
  return step && same(*step, 1);
}

SINTER_INLINE bool GroupCost::saves(const Group& group, std::int64_t outer,
                                    std::int64_t last) const {
  const auto parts = [](std::int64_t all, std::int64_t part) { return (all + part - 1) / part; };
  if (outer == unbounded || last == unbounded || outer * last == 0) return true;
  const std::int64_t bytes = std::max<std::int64_t>(row_bytes(group), 1);
  const std::int64_t most = std::clamp(block_bytes / bytes, fewest_block_rows, most_block_rows);
  const std::int64_t blocks = std::max(outer * parts(last, most), fewest_blocks);
  std::int64_t all = 0, more = 0;
  for (const Piece& piece : group.pieces) {
    if (!is_product(piece)) continue;
    const std::int64_t shared = shared_elements(piece);
    const std::int64_t batches = varies_with(piece, piece.rows) ? outer : 1;
    const std::int64_t apart = batches * parts(outer * last / batches, rows_for_panel);
    all += shared;
    more += shared * std::max<std::int64_t>(blocks - apart, 0);
  }
  return all <= most_near_elements || 4 * more <= 2 * outer * last * bytes;
}

SINTER_INLINE bool GroupCost::varies(const Group& group) const {
  return std::all_of(group.pieces.begin(), group.pieces.end(), [&](const Piece& piece) {
    return !is_product(piece) || varies_with(piece, piece.rows);
  });
}

SINTER_INLINE bool GroupCost::divides(const Group& group) const {
  for (const Piece& piece : group.pieces) {
    if (is_turned(piece)) return false;
    for (const NodeId node : kernels[piece.kernel].nodes) {
      if (!traces.writes(piece.kernel, node)) continue;
      const auto& readers = traces.readers(node);
      const auto inside = std::count_if(readers.begin(), readers.end(),
                                        [&](std::size_t reader) { return has(group, reader); });
      const bool is_local = !traces.is_output(node) && inside > 0 &&
                            inside == static_cast<std::ptrdiff_t>(readers.size());
      if (is_product(piece) ? inside > 0 : !is_local) return false;
    }
  }
  return true;
}

SINTER_INLINE std::int64_t GroupCost::most(const std::vector<Loop>& loops) {
  std::int64_t result = 1;
  for (const Loop& loop : loops) result = times(result, bounds(loop.extent).max);
  return result;
}

SINTER_INLINE bool GroupCost::keeps_busy(const Group& group) const {
  std::int64_t outer = 1, steps = 1;
  const Index& rows = group.pieces[0].rows;
  for (int row = 0; row + 1 < rows.size(); ++row) {
    outer = times(outer, bounds(rows[row].range_extent()).max);
  }
  const std::int64_t last = bounds(rows[rows.size() - 1].range_extent()).max;
  for (const Piece& piece : group.pieces) {
    if (is_product(piece)) steps = std::max(steps, most(columns(piece)) / step_of_stream);
  }
  const std::int64_t blocks = times(outer, 1 + (last - 1) / rows_of_stream);
  return !group.is_single && last >= fewest_stream_rows &&
         (blocks >= busy_streams || steps <= most_lonely_steps);
}

SINTER_INLINE bool GroupCost::pays(const Group& group) const {
  std::int64_t outer = 1;
  const Index& rows = group.pieces[0].rows;
  for (int row = 0; row + 1 < rows.size(); ++row) {
    outer = times(outer, bounds(rows[row].range_extent()).max);
  }
  const std::int64_t last = bounds(rows[rows.size() - 1].range_extent()).max;
  if (streams) return keeps_busy(group) && has_few_instructions(group);
  if (group.is_single) return times(outer, last) >= fewest_blocks;
  // Each of the outer rows reads the factor again.
  const bool is_divided = (outer == 1 || last >= rows_to_read_again) && divides(group);
  const bool few = !is_divided && last < fewest_rows && outer < fewest_rows;
  if (few && (outer < fewest_blocks || !varies(group))) return false;
  for (const Piece& piece : group.pieces) {
    if (reads_across(group, piece)) return false;
    if (outer > 1 && is_product(piece) && repeats_a_factor(piece)) return false;
  }
  return has_few_instructions(group) && (is_divided || saves(group, outer, last));
}

SINTER_INLINE bool GroupCost::has_few_instructions(const Group& group) const {
  std::size_t instructions = 0;
  for (const Piece& piece : group.pieces) instructions += kernel(piece).instructions.size();
  return instructions <= most_block_instructions;
}

SINTER_INLINE std::vector<std::size_t> GroupCost::next_products(const Group& group,
                                                                const Piece& piece) const {
  std::vector<std::size_t> result, open{piece.kernel};
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const NodeId node : handed_on(group, piece_of(group, open[i]))) {
      for (const std::size_t k : traces.readers(node)) {
        if (!has(group, k) || k == open[i]) continue;
        const Piece& reader = piece_of(group, k);
        if (i == 0 && has_columns(reader) && !multiplies(reader, node)) continue;
        auto& list = has_columns(reader) ? result : open;
        if (std::find(list.begin(), list.end(), k) == list.end()) list.push_back(k);
      }
    }
  }
  return result;
}

SINTER_INLINE bool GroupCost::is_linked(const Group& group) const {
  for (const Piece& piece : group.pieces) {
    if (!has_columns(piece)) continue;
    for (const std::size_t next : next_products(group, piece)) {
      if (!links.may_share(piece.kernel, next)) return false;
    }
  }
  return true;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
