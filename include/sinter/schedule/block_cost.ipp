#pragma once

// What a group of kernels hands on and shares, and whether it pays to run them as one.

#include <algorithm>  // std::all_of, std::any_of, std::clamp, std::count_if, std::find, std::max
#include <cstddef>    // std::ptrdiff_t

#include <sinter/schedule/block_group.hpp>
#include <sinter/schedule/block_limits.hpp>
#include <sinter/schedule/block_links.hpp>
#include <sinter/schedule/block_names.hpp>
#include <sinter/schedule/block_pieces.ipp>
#include <sinter/schedule/tile.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

struct GroupCost : GroupPieces {
  // What `piece` writes that others of the group read.
  std::vector<NodeId> handed_on(const Group& group, const Piece& piece) const {
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

  // Whether rows are handed on as they are.
  bool hands_on_rows(const Group& group) const {
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

  // What is handed on of one row, as far as its size is known.
  std::int64_t row_bytes(const Group& group) const {
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

  // How many elements the factor has that the rows of `piece`, a product, share; 0 if that is not
  // known, or if one of its sides is narrow: what is handed on is much wider than all that it is
  // made from then, and had better not be written to memory.
  std::int64_t shared_elements(const Piece& piece) const {
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

  // Whether `piece`, no product, reads neighbouring rows one behind the other, but what is of one
  // row far apart: row by row it would read the same lines of memory again and again.
  bool reads_across(const Group& group, const Piece& piece) const {
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

  static bool is_unit(Extent index, Extent variable) {
    const auto step = coefficient_of(index, variable);
    return step && same(*step, 1);
  }

  // Whether what is handed on is as many bytes as blocks read more than kernels apart would: those
  // have many rows for each time that they read a factor, also where each block has few.
  bool saves(const Group& group, std::int64_t outer, std::int64_t last) const {
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

  // Whether the products of `group` have factors of their own for each of the outer rows.
  bool varies(const Group& group) const {
    return std::all_of(group.pieces.begin(), group.pieces.end(), [&](const Piece& piece) {
      return !is_product(piece) || varies_with(piece, piece.rows);
    });
  }

  // Whether threads can share the columns of the products, as they do where products run alone, and
  // compute again what comes before them: nobody in the group reads what a product gives, and the
  // rest writes no memory. See BlockParts::divides().
  bool divides(const Group& group) const {
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

  static std::int64_t most(const std::vector<Loop>& loops) {
    std::int64_t result = 1;
    for (const Loop& loop : loops) result = times(result, bounds(loop.extent).max);
    return result;
  }

  // Whether a GPU that streams over the columns has as much to do at once as with kernels apart.
  bool keeps_busy(const Group& group) const {
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

  // Whether there are rows enough, and not too much to read again for each block of them.
  bool pays(const Group& group) const {
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

  bool has_few_instructions(const Group& group) const {
    std::size_t instructions = 0;
    for (const Piece& piece : group.pieces) instructions += kernel(piece).instructions.size();
    return instructions <= most_block_instructions;
  }

  // The products of `group` that read what `piece`, one of them, gives, itself or through others;
  // but not one that only adds its elements, say, to those that it gives.
  std::vector<std::size_t> next_products(const Group& group, const Piece& piece) const {
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

  // Whether each two products, one of which needs the other, may share a kernel.
  bool is_linked(const Group& group) const {
    for (const Piece& piece : group.pieces) {
      if (!has_columns(piece)) continue;
      for (const std::size_t next : next_products(group, piece)) {
        if (!links.may_share(piece.kernel, next)) return false;
      }
    }
    return true;
  }
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
