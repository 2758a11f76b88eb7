#pragma once
// The profitability of tiled groups: their intermediates, the factors their rows share, and whether
// running them as one kernel pays.

#include <algorithm>    // std::clamp, std::max
#include <cstddef>      // std::ptrdiff_t, std::size_t
#include <cstdint>      // std::int64_t
#include <string_view>  // std::string_view

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/ir/refusals.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/schedule/tile/factors.hpp>
#include <sinter/schedule/tile/node_accesses.hpp>
#include <sinter/schedule/tile/product_chains.hpp>
#include <sinter/schedule/tile/symbols.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// Facts about the members of tiled groups: which are products, and what these multiply.
struct TiledGroupFacts {
  const Graph& graph;
  const Vector<LoweredKernel>& kernels;
  const Target& target;
  bool streams = false;  // whether the groups are streaming kernels of a GPU
  NodeAccesses accesses{graph, kernels};
  ProductChains chains{kernels, accesses, streams};

  const Kernel& kernel(const GroupMember& member) const { return kernels[member.kernel].kernel; }

  bool is_product(const GroupMember& member) const {
    return kernels[member.kernel].is_product && loop_stage(kernel(member)) != nullptr;
  }

  /// Whether `member` is a product with columns in each row. A product without columns is a
  /// reduction of rows.
  bool has_columns(const GroupMember& member) const {
    return is_product(member) && column_count(member) > 0;
  }

  const GroupMember& member_of(const TiledGroup& group, std::size_t k) const {
    return *find_if(group.members, [k](const GroupMember& member) { return member.kernel == k; });
  }

  static int row_of(const GroupMember& member, Extent variable) {
    for (int row = 0; row < member.rows.size(); ++row) {
      if (same(member.rows[row], variable)) return row;
    }
    return -1;
  }

  /// The number of column loops: loops of the grid that are not row loops.
  std::size_t column_count(const GroupMember& member) const {
    return static_cast<std::size_t>(count_if(
        kernel(member).grid, [&](const Loop& loop) { return !is_row(member, loop.variable); }));
  }

  /// The loops of the grid that are not rows.
  Vector<Loop> columns(const GroupMember& member) const {
    return columns_of(kernel(member), member);
  }

  bool contains(const TiledGroup& group, std::size_t k) const {
    return any_of(group.members, [k](const GroupMember& member) { return member.kernel == k; });
  }

  /// Whether `node` is read as a factor of `member`, a product, and not only by its epilogue.
  bool multiplies(const GroupMember& member, NodeId node) const {
    const Vector<ValueId> all = factors_of(kernel(member));
    const std::int32_t argument = argument_of(kernels[member.kernel], node);
    return any_of(
        all, [&](ValueId factor) { return depends_on_argument(kernel(member), factor, argument); });
  }

  /// Whether the last row loop of `member`, a product, is one of its columns.
  bool is_transposed(const GroupMember& member) const {
    return is_product(member) &&
           is_column_loop(kernel(member), member.rows[member.rows.size() - 1]);
  }

  /// Whether `member`, a product, has short sums and nothing to tile: one of its factors depends on
  /// all loops that the other one depends on.
  bool is_short_dot(const GroupMember& member) const {
    const std::int64_t terms = most_iterations(loop_stage(kernel(member))->loops);
    const Vector<ValueId> both = factors_of(kernel(member));
    const auto covers = [&](ValueId wide, ValueId narrow) {
      const Vector<Loop>& grid = kernel(member).grid;
      return all_of(grid, [&](const Loop& loop) {
        return varies_along(kernel(member), wide, loop.variable) ||
               !varies_along(kernel(member), narrow, loop.variable);
      });
    };
    return terms <= target.row_tiles.most_shared_width && both.size() == 2 &&
           (covers(both[0], both[1]) || covers(both[1], both[0]));
  }

  /// Whether a factor of `member`, a product, depends on the last of several row loops and on no
  /// other: it would be packed again for each of the outer rows, for few columns each time.
  bool repacks_a_factor(const GroupMember& member) const {
    const int last = member.rows.size() - 1;
    if (most_iterations(columns(member)) >= target.row_tiles.columns_to_repack) return false;
    const Vector<ValueId> all = factors_of(kernel(member));
    return last > 0 && any_of(all, [&](ValueId factor) {
             if (!varies_along(kernel(member), factor, member.rows[last])) return false;
             for (int row = 0; row < last; ++row) {
               if (varies_along(kernel(member), factor, member.rows[row])) return false;
             }
             return true;
           });
  }

  /// Whether the factor that the rows of `member`, a product, share depends on one of the outer
  /// `rows`.
  bool varies_with(const GroupMember& member, const Index& rows) const {
    const Stage& stage = *loop_stage(kernel(member));
    const Extent last = rows[rows.size() - 1];
    for (const ValueId id : stage.body) {
      const Instruction& one = kernel(member).instructions[id];
      if (one.code != Code::load || depends_on(one.index, last)) continue;
      for (int row = 0; row + 1 < rows.size(); ++row) {
        if (depends_on(one.index, rows[row])) return true;
      }
    }
    return false;
  }
};

/// The costs of a tiled group, and whether it is profitable.
struct TiledGroupCost {
  const TiledGroupFacts& facts;

  /// The results of `member` that other members read.
  Vector<NodeId> intermediates(const TiledGroup& group, const GroupMember& member) const {
    Vector<NodeId> result;
    for (const NodeId node : facts.kernels[member.kernel].nodes) {
      if (facts.accesses.writer(node) != static_cast<std::int32_t>(member.kernel)) continue;
      const auto& readers = facts.accesses.readers(node);
      const bool read = any_of(
          readers, [&](std::size_t k) { return k != member.kernel && facts.contains(group, k); });
      if (read) result.push_back(node);
    }
    return result;
  }

  /// Whether each row of the members reads only its own row of the intermediates.
  bool depends_on_own_rows(const TiledGroup& group) const {
    for (const GroupMember& member : group.members) {
      for (const NodeId node : intermediates(group, member)) {
        const AxisNumbers axes = facts.accesses.row_axes(member, node);
        if (axes.empty()) return false;
        for (const std::size_t k : facts.accesses.readers(node)) {
          if (facts.contains(group, k) &&
              !facts.accesses.reads_rows(facts.member_of(group, k), node, axes))
            return false;
        }
      }
    }
    return true;
  }

  /// Bytes of the intermediates per row, as far as their sizes are known.
  std::int64_t row_bytes(const TiledGroup& group) const {
    std::int64_t bytes = 0;
    for (const GroupMember& member : group.members) {
      for (const NodeId node : intermediates(group, member)) {
        const AxisNumbers axes = facts.accesses.row_axes(member, node);
        auto size = static_cast<std::int64_t>(info(facts.graph[node].results[0].dtype).size);
        for (int axis = 0; axis < facts.accesses.shape(node).size(); ++axis) {
          if (contains(axes, axis)) continue;
          size = times(size, bounds(facts.accesses.shape(node)[axis]).max);
        }
        bytes = size == unbounded ? bytes : bytes + size;
      }
    }
    return bytes;
  }

  bool has_short_rows(const TiledGroup& group) const {
    return row_bytes(group) <= facts.target.row_tiles.most_row_bytes;
  }

  /// The elements of the factor that the `rows` of `member`, a product, share. 0 if their number is
  /// unknown, or if one side of the factor is narrow and there are more rows: the intermediate is
  /// then much larger than the operands, and should not be written to memory.
  std::int64_t shared_elements(const GroupMember& member, std::int64_t rows) const {
    const std::int64_t wide = most_iterations(facts.columns(member));
    const std::int64_t deep = most_iterations(loop_stage(facts.kernel(member))->loops);
    const std::int64_t all = times(wide, deep), narrow = std::min(wide, deep);
    const bool is_narrow = narrow < rows && narrow <= facts.target.row_tiles.most_shared_width;
    return all == unbounded || is_narrow ? 0 : all;
  }

  /// Whether `member`, no product, reads neighbouring rows contiguously but the elements of one row
  /// with a stride: row by row it would read the same cache lines again and again.
  bool reads_strided(const TiledGroup& group, const GroupMember& member) const {
    Vector<Loop> loops = facts.columns(member);
    for (const Stage& stage : facts.kernel(member).stages) {
      loops.insert(loops.end(), stage.loops.begin(), stage.loops.end());
    }
    const auto is_strided = [&](Extent place) {
      return has_step(place, member.rows[member.rows.size() - 1]) &&
             any_of(loops, [&](const Loop& loop) {
               return depends_on(place, loop.variable) && !has_step(place, loop.variable);
             });
    };
    for (const NodeId node : facts.kernels[member.kernel].nodes) {
      const std::int32_t writer = facts.accesses.writer(node);
      if (writer >= 0 && facts.contains(group, static_cast<std::size_t>(writer))) continue;
      for (const Index& index : facts.accesses.indices(member.kernel, node, Code::load)) {
        if (!facts.is_product(member) && is_strided(linear(index, facts.accesses.shape(node))))
          return true;
      }
    }
    return false;
  }

  /// Whether fusion saves at least as many bytes of intermediates as it reads more of shared
  /// factors: separate kernels read a factor once for many rows, tiles may read it once for few.
  bool saves_traffic(const TiledGroup& group, std::int64_t outer, std::int64_t last) const {
    const auto ceil_divide = [](std::int64_t all, std::int64_t part) {
      return (all + part - 1) / part;
    };
    if (outer == unbounded || last == unbounded || outer * last == 0) return true;
    const std::int64_t bytes = std::max<std::int64_t>(row_bytes(group), 1);
    const RowTileLimits& limits = facts.target.row_tiles;
    const std::int64_t most =
        std::clamp(limits.tile_bytes / bytes, limits.fewest_tile_rows, limits.most_tile_rows);
    const std::int64_t tiles = std::max(outer * ceil_divide(last, most), limits.fewest_tiles);
    std::int64_t all = 0, more = 0;
    for (const GroupMember& member : group.members) {
      if (!facts.is_product(member)) continue;
      const std::int64_t shared = shared_elements(member, outer * last);
      const std::int64_t batches = facts.varies_with(member, member.rows) ? outer : 1;
      const std::int64_t unfused =
          batches * ceil_divide(outer * last / batches, limits.rows_per_panel_read);
      all += shared;
      more += shared * std::max<std::int64_t>(tiles - unfused, 0);
    }
    return all <= limits.most_near_elements || 4 * more <= 2 * outer * last * bytes;
  }

  /// Whether the factors of all products depend on the outer rows.
  bool has_batched_factors(const TiledGroup& group) const {
    return all_of(group.members, [&](const GroupMember& member) {
      return !facts.is_product(member) || facts.varies_with(member, member.rows);
    });
  }

  /// Whether threads can share the columns of the products, as in products that run alone, and
  /// rematerialize what comes before them: no member reads the result of a product, and the other
  /// members write only local memory. See Subkernels::can_share_columns().
  bool can_share_columns(const TiledGroup& group) const {
    for (const GroupMember& member : group.members) {
      if (facts.is_transposed(member)) return false;
      for (const NodeId node : facts.kernels[member.kernel].nodes) {
        if (!facts.accesses.writes(member.kernel, node)) continue;
        const auto& readers = facts.accesses.readers(node);
        const auto inside =
            count_if(readers, [&](std::size_t reader) { return facts.contains(group, reader); });
        const bool is_local = !facts.accesses.is_output(node) && inside > 0 &&
                              inside == static_cast<std::ptrdiff_t>(readers.size());
        if (facts.is_product(member) ? inside > 0 : !is_local) return false;
      }
    }
    return true;
  }

  /// The most iterations of the outer row loops, and of the last one.
  struct Rows {
    std::int64_t outer = 1, last = 1;
  };

  static Rows rows_of(const TiledGroup& group) {
    const Index& rows = group.members[0].rows;
    Rows result{1, bounds(rows[-1].range_extent()).max};
    for (int row = 0; row + 1 < rows.size(); ++row) {
      result.outer = times(result.outer, bounds(rows[row].range_extent()).max);
    }
    return result;
  }

  /// Whether a target that streams over the columns has as much parallel work as with separate
  /// kernels.
  bool fills_target(const TiledGroup& group) const {
    const auto [outer, last] = rows_of(group);
    std::int64_t columns = 1;
    for (const GroupMember& member : group.members) {
      if (facts.is_product(member))
        columns = std::max(columns, most_iterations(facts.columns(member)));
    }
    return !group.single_rows &&
           has_busy_streaming_blocks(outer, last, columns, facts.target.streaming);
  }

  /// Why row tiles of `group` would be slower than its members as separate kernels; empty if they
  /// are faster: there are enough rows, and not too much to read again for each tile of them.
  std::string_view loss(const TiledGroup& group) const {
    const auto [outer, last] = rows_of(group);
    constexpr std::string_view large = "the kernel would have too many instructions";
    if (facts.streams && !fills_target(group)) {
      return "it has too few rows to fill a GPU, since each row iterates over all columns of the "
             "product";
    }
    if (facts.streams) return has_few_instructions(group) ? "" : large;
    const RowTileLimits& limits = facts.target.row_tiles;
    if (group.single_rows)
      return times(outer, last) >= limits.fewest_tiles ? "" : refusal::few_rows;
    // Each of the outer rows reads the factor again.
    const bool is_divided =
        (outer == 1 || last >= limits.rows_to_reread) && can_share_columns(group);
    const bool few = !is_divided && last < limits.fewest_rows && outer < limits.fewest_rows;
    if (few && (outer < limits.fewest_tiles || !has_batched_factors(group)))
      return refusal::few_rows;
    for (const GroupMember& member : group.members) {
      if (reads_strided(group, member)) {
        return "one of the kernels reads the elements of a row with a stride";
      }
      if (outer > 1 && facts.is_product(member) && facts.repacks_a_factor(member)) {
        return "a factor of few columns would be packed again for each of the outer rows";
      }
    }
    if (!has_few_instructions(group)) return large;
    // All rows are one tile: the factors are read once.
    const bool is_one_tile = times(row_bytes(group), last) <= limits.tile_bytes;
    if ((is_divided && is_one_tile) || saves_traffic(group, outer, last)) return "";
    return "each tile of rows would read the factors of its products again";
  }

  bool has_few_instructions(const TiledGroup& group) const {
    std::size_t instructions = 0;
    for (const GroupMember& member : group.members)
      instructions += facts.kernel(member).instructions.size();
    return instructions <= facts.target.row_tiles.most_instructions;
  }

  /// The products of `group` that use the result of `member`, a product, directly or through
  /// others, as a factor; not those that only use it in their epilogue.
  Vector<std::size_t> next_products(const TiledGroup& group, const GroupMember& member) const {
    Vector<std::size_t> result, open{member.kernel};
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (const NodeId node : intermediates(group, facts.member_of(group, open[i]))) {
        for (const std::size_t k : facts.accesses.readers(node)) {
          if (!facts.contains(group, k) || k == open[i]) continue;
          const GroupMember& reader = facts.member_of(group, k);
          if (i == 0 && facts.has_columns(reader) && !facts.multiplies(reader, node)) continue;
          auto& list = facts.has_columns(reader) ? result : open;
          if (!contains(list, k)) list.push_back(k);
        }
      }
    }
    return result;
  }

  /// Whether any two products of the group that depend on each other may share a kernel.
  bool is_chained(const TiledGroup& group) const {
    for (const GroupMember& member : group.members) {
      if (!facts.has_columns(member)) continue;
      for (const std::size_t next : next_products(group, member)) {
        if (!facts.chains.may_share(member.kernel, next)) return false;
      }
    }
    return true;
  }
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
