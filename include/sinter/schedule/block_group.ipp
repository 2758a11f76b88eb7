#pragma once

#include <algorithm>  // std::any_of, std::find, std::max, std::min, std::sort
#include <utility>    // std::move

#include <sinter/schedule/block_group.hpp>
#include <sinter/schedule/block_limits.hpp>
#include <sinter/schedule/tile.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::schedule {

namespace detail {

struct Grouper {
  const Graph& graph;
  const std::vector<Lowered>& kernels;
  Traces traces{graph, kernels};
  std::vector<std::int32_t> group_of{};  // of each kernel; -1 if it can be in none
  std::vector<Group> groups{};           // of one kernel at first

  const Kernel& kernel(const Piece& piece) const { return kernels[piece.kernel].kernel; }
  bool is_product(const Piece& piece) const {
    return kernels[piece.kernel].is_product && loop_stage(kernel(piece)) != nullptr;
  }

  void start() {
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      group_of.push_back(static_cast<std::int32_t>(groups.size()));
      Piece piece{k, {}};
      for (const Loop& loop : kernels[k].kernel.grid) piece.rows.push_back(loop.variable);
      groups.push_back({{std::move(piece)}});
    }
  }

  const Piece& piece_of(const Group& group, std::size_t k) const {
    return *std::find_if(group.pieces.begin(), group.pieces.end(),
                         [k](const Piece& piece) { return piece.kernel == k; });
  }

  // The rows of `group` that are listed.
  static Group with_rows(const Group& group, const std::vector<int>& rows) {
    Group result = group;
    for (std::size_t p = 0; p < group.pieces.size(); ++p) {
      result.pieces[p].rows = {};
      for (const int row : rows) result.pieces[p].rows.push_back(group.pieces[p].rows[row]);
    }
    return result;
  }

  // Both groups, over the rows that reader and writer of `node` have in common.
  Group joined(const Group& from, std::size_t writer, const Group& to, std::size_t reader,
               NodeId node) const {
    const Piece &x = piece_of(from, writer), &y = piece_of(to, reader);
    const std::vector<Index> stores = traces.indices(writer, node, Code::store);
    const std::vector<Index> loads = traces.indices(reader, node, Code::load);
    std::vector<int> from_rows, to_rows;
    if (stores.size() != 1 || loads.empty()) return {};
    for (int axis = 0; axis < stores[0].size(); ++axis) {
      const int a = row_of(x, stores[0][axis]), b = row_of(y, loads[0][axis]);
      if (a < 0 || b < 0 || !same(x.rows[a].range_extent(), y.rows[b].range_extent())) continue;
      from_rows.push_back(a);
      to_rows.push_back(b);
    }
    if (from_rows.empty()) return {};
    Group result = with_rows(from, from_rows);
    for (Piece& piece : with_rows(to, to_rows).pieces) result.pieces.push_back(std::move(piece));
    std::sort(result.pieces.begin(), result.pieces.end(),
              [](const Piece& a, const Piece& b) { return a.kernel < b.kernel; });
    return result;
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

  // Reductions that come one after the other stay whole; a product goes on over its columns.
  bool has_form(const Piece& piece) const {
    const std::size_t inner = columns(piece).size();
    if (is_product(piece)) return inner > 0;
    return inner == 0 || loop_stage(kernel(piece)) == nullptr;
  }

  // Whether `piece`, a product, reads a factor that is the same in all rows of a block, and another
  // one that is not.
  bool shares(const Piece& piece, Extent row) const {
    bool shared = false, own = false;
    const Stage& stage = *loop_stage(kernel(piece));
    for (const ValueId id : stage.body) {
      const Instruction& one = kernel(piece).instructions[static_cast<std::size_t>(id)];
      if (one.code != Code::load || !depends_on(one.index, stage.loops[0].variable)) continue;
      (depends_on(one.index, row) ? own : shared) = true;
    }
    return shared && own;
  }

  // Puts that row last whose neighbours share the most; false if products share nothing.
  bool choose_blocks(Group& group) const {
    int best = -1;
    std::int64_t most = 0;
    for (int row = 0; row < group.pieces[0].rows.size(); ++row) {
      const bool all = std::all_of(
          group.pieces.begin(), group.pieces.end(),
          [&](const Piece& piece) { return !is_product(piece) || shares(piece, piece.rows[row]); });
      const std::int64_t size = bounds(group.pieces[0].rows[row].range_extent()).max;
      if (!all || size < most) continue;
      best = row;
      most = size;
    }
    if (best < 0) return false;
    std::vector<int> rows;
    for (int row = 0; row < group.pieces[0].rows.size(); ++row) {
      if (row != best) rows.push_back(row);
    }
    rows.push_back(best);
    group = with_rows(group, rows);
    return true;
  }

  bool has(const Group& group, std::size_t k) const {
    return std::any_of(group.pieces.begin(), group.pieces.end(),
                       [k](const Piece& piece) { return piece.kernel == k; });
  }

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

  // Whether rows are handed on as they are, and fit in the cache.
  bool hands_on_rows(const Group& group) const {
    std::int64_t bytes = 0;
    for (const Piece& piece : group.pieces) {
      for (const NodeId node : handed_on(group, piece)) {
        const std::vector<int> axes = traces.row_axes(piece, node);
        if (axes.empty()) return false;
        for (const std::size_t k : traces.readers(node)) {
          if (has(group, k) && !traces.reads_rows(piece_of(group, k), node, axes)) return false;
        }
        auto size = static_cast<std::int64_t>(info(graph[node].results[0].dtype).size);
        for (int axis = 0; axis < traces.shape(node).size(); ++axis) {
          if (std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
          size = times(size, bounds(traces.shape(node)[axis]).max);
        }
        bytes = size == unbounded ? bytes : bytes + size;
      }
    }
    return bytes <= most_row_bytes;
  }

  // Whether the factor that the rows of `piece` share is too large to be read for each block.
  bool is_large(const Piece& piece) const {
    std::vector<Loop> loops = columns(piece);
    for (const Loop& loop : loop_stage(kernel(piece))->loops) loops.push_back(loop);
    std::int64_t known = 1;
    int open = 0;
    for (const Loop& loop : loops) {
      const std::int64_t most = bounds(loop.extent).max;
      most == unbounded ? void(++open) : void(known = times(known, most));
    }
    return open == 0 ? known > most_shared_elements : open > 1 || known > most_shared_width;
  }

  // Whether there are rows enough, and not too much to read again for each block of them.
  bool pays(const Group& group) const {
    std::int64_t rows = 1;
    for (const Extent row : group.pieces[0].rows) {
      rows = times(rows, bounds(row.range_extent()).max);
    }
    std::size_t products = 0, instructions = 0;
    bool large = false, reduces = false;  // products in a row are no cheaper together
    for (const Piece& piece : group.pieces) {
      instructions += kernel(piece).instructions.size();
      reduces |= !is_product(piece) && loop_stage(kernel(piece)) != nullptr;
      if (!is_product(piece)) continue;
      ++products;
      large |= is_large(piece);
    }
    return rows >= fewest_rows && instructions <= most_block_instructions &&
           (products < 2 || (reduces && !large));
  }

  // Whether some kernel between them has to run after one of the group and before another.
  bool has_cycle(const Group& group) const {
    const std::size_t last = group.pieces.back().kernel;
    std::vector<bool> seen(kernels.size(), false);
    std::vector<std::size_t> open;
    for (const Piece& piece : group.pieces) open.push_back(piece.kernel);
    const std::size_t members = open.size();
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (const NodeId node : kernels[open[i]].nodes) {
        if (traces.writer(node) != static_cast<std::int32_t>(open[i])) continue;
        for (const std::size_t k : traces.readers(node)) {
          if (k == open[i] || seen[k]) continue;
          if (has(group, k)) {
            if (i >= members) return true;
            continue;
          }
          for (const Piece& other : groups[static_cast<std::size_t>(group_of[k])].pieces) {
            if (seen[other.kernel] ||
                (other.kernel > last &&
                 groups[static_cast<std::size_t>(group_of[k])].pieces.size() == 1)) {
              continue;
            }
            seen[other.kernel] = true;
            open.push_back(other.kernel);
          }
        }
      }
    }
    return false;
  }

  bool is_right(Group& group) const {
    bool product = false;
    for (const Piece& piece : group.pieces) {
      if (!can_be_piece(kernel(piece)) || !has_form(piece)) return false;
      product |= is_product(piece);
    }
    return product && choose_blocks(group) && pays(group) && hands_on_rows(group) &&
           !has_cycle(group);
  }

  bool join(std::size_t writer, std::size_t reader, NodeId node) {
    const std::int32_t a = group_of[writer], b = group_of[reader];
    if (a == b) return false;
    Group& from = groups[static_cast<std::size_t>(a)];
    Group& to = groups[static_cast<std::size_t>(b)];
    Group both = joined(from, writer, to, reader, node);
    if (both.pieces.empty() || !is_right(both)) return false;
    for (const Piece& piece : both.pieces) group_of[piece.kernel] = a;
    from = std::move(both);
    to.pieces.clear();
    return true;
  }

  bool join_all() {
    bool any = false;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for (const NodeId node : kernels[k].nodes) {
        const std::int32_t writer = traces.writer(node);
        if (writer < 0 || static_cast<std::size_t>(writer) >= k) continue;
        any |= join(static_cast<std::size_t>(writer), k, node);
      }
    }
    return any;
  }
};

}  // namespace detail

SINTER_INLINE std::vector<Group> group_rows(const Graph& graph,
                                            const std::vector<Lowered>& kernels) {
  detail::Grouper grouper{graph, kernels};
  grouper.start();
  while (grouper.join_all()) {
  }
  std::vector<Group> result;
  for (Group& group : grouper.groups) {
    if (group.pieces.size() > 1) result.push_back(std::move(group));
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::schedule
