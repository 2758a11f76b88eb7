#pragma once

// What the pieces of groups of kernels are: which are products, and what those multiply.

#include <algorithm>  // std::all_of, std::any_of, std::find_if

#include <sinter/schedule/block_factors.ipp>
#include <sinter/schedule/block_group.hpp>
#include <sinter/schedule/block_limits.hpp>
#include <sinter/schedule/block_links.hpp>
#include <sinter/schedule/tile.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

struct GroupPieces {
  const Graph& graph;
  const std::vector<Lowered>& kernels;
  bool streams = false;  // whether blocks are kernels of a GPU
  Traces traces{graph, kernels};
  Links links{kernels, traces, streams};

  const Kernel& kernel(const Piece& piece) const { return kernels[piece.kernel].kernel; }
  bool is_product(const Piece& piece) const {
    return kernels[piece.kernel].is_product && loop_stage(kernel(piece)) != nullptr;
  }

  // Whether `piece` is a product that has columns in each row; one without is a reduction of rows.
  bool has_columns(const Piece& piece) const {
    return is_product(piece) && !columns(piece).empty();
  }

  const Piece& piece_of(const Group& group, std::size_t k) const {
    return *std::find_if(group.pieces.begin(), group.pieces.end(),
                         [k](const Piece& piece) { return piece.kernel == k; });
  }

  static int row_of(const Piece& piece, Extent variable) {
    for (int row = 0; row < piece.rows.size(); ++row) {
      if (same(piece.rows[row], variable)) return row;
    }
    return -1;
  }

  // The loops of the grid that are no rows.
  std::vector<Loop> columns(const Piece& piece) const {
    std::vector<Loop> result;
    for (const Loop& loop : kernel(piece).grid) {
      if (row_of(piece, loop.variable) < 0) result.push_back(loop);
    }
    return result;
  }

  bool has(const Group& group, std::size_t k) const {
    return std::any_of(group.pieces.begin(), group.pieces.end(),
                       [k](const Piece& piece) { return piece.kernel == k; });
  }

  // Whether what `piece` reads of `node` is multiplied by it, a product: not only added, for
  // example, to what it gives.
  bool multiplies(const Piece& piece, NodeId node) const {
    const std::vector<ValueId> all = factors_of(kernel(piece));
    const std::int32_t argument = argument_of(kernels[piece.kernel], node);
    return std::any_of(all.begin(), all.end(),
                       [&](ValueId factor) { return is_made_of(kernel(piece), factor, argument); });
  }

  // Whether the loop over the last row of `piece`, a product, is one of its columns.
  bool is_turned(const Piece& piece) const {
    return is_product(piece) && is_column(kernel(piece), piece.rows[piece.rows.size() - 1]);
  }

  // Whether `piece`, a product, has short sums and nothing to tile: one of its factors goes along
  // all loops that the other one does.
  bool is_short_row(const Piece& piece) const {
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

  // Whether a factor of `piece`, a product, goes along the last of several rows and no other: it
  // would be packed once for each row of the others, for few columns each time.
  bool repeats_a_factor(const Piece& piece) const {
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

  // Whether the factor that the rows of `piece`, a product, share is another one for each of
  // `rows`.
  bool varies_with(const Piece& piece, const Index& rows) const {
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
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
