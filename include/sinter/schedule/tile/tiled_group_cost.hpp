#pragma once
// The profitability of tiled groups: their intermediates, the factors their rows share, and whether
// running them as one kernel pays.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <string_view>  // std::string_view

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/tile/node_accesses.hpp>
#include <sinter/schedule/tile/product_chains.hpp>

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
  bool is_product(const GroupMember& member) const;
  /// Whether `member` is a product with columns in each row. A product without columns is a
  /// reduction of rows.
  bool has_columns(const GroupMember& member) const;
  const GroupMember& member_of(const TiledGroup& group, std::size_t k) const;
  static int row_of(const GroupMember& member, Extent variable);
  /// The loops of the grid that are not rows.
  Vector<Loop> columns(const GroupMember& member) const {
    return columns_of(kernel(member), member);
  }
  bool contains(const TiledGroup& group, std::size_t k) const;
  /// Whether `node` is read as a factor of `member`, a product, and not only by its epilogue.
  bool multiplies(const GroupMember& member, NodeId node) const;
  /// Whether the last row loop of `member`, a product, is one of its columns.
  bool is_transposed(const GroupMember& member) const;
  /// Whether `member`, a product, has short sums and nothing to tile: one of its factors depends on
  /// all loops that the other one depends on.
  bool is_short_dot(const GroupMember& member) const;
  /// Whether a factor of `member`, a product, depends on the last of several row loops and on no
  /// other: it would be packed again for each of the outer rows, for few columns each time.
  bool repacks_a_factor(const GroupMember& member) const;
  /// Whether the factor that the rows of `member`, a product, share depends on one of the outer
  /// `rows`.
  bool varies_with(const GroupMember& member, const Index& rows) const;
};

/// The costs of a tiled group, and whether it is profitable.
struct TiledGroupCost {
  const TiledGroupFacts& facts;

  /// The results of `member` that other members read.
  Vector<NodeId> intermediates(const TiledGroup& group, const GroupMember& member) const;
  /// Whether each row of the members reads only its own row of the intermediates.
  bool depends_on_own_rows(const TiledGroup& group) const;
  /// Bytes of the intermediates per row, as far as their sizes are known.
  std::int64_t row_bytes(const TiledGroup& group) const;
  bool has_short_rows(const TiledGroup& group) const {
    return row_bytes(group) <= facts.target.row_tiles.most_row_bytes;
  }
  /// The elements of the factor that the `rows` of `member`, a product, share. 0 if their number is
  /// unknown, or if one side of the factor is narrow and there are more rows: the intermediate is
  /// then much larger than the operands, and should not be written to memory.
  std::int64_t shared_elements(const GroupMember& member, std::int64_t rows) const;
  /// Whether `member`, no product, reads neighbouring rows contiguously but the elements of one row
  /// with a stride: row by row it would read the same cache lines again and again.
  bool reads_strided(const TiledGroup& group, const GroupMember& member) const;
  /// Whether fusion saves at least as many bytes of intermediates as it reads more of shared
  /// factors: separate kernels read a factor once for many rows, tiles may read it once for few.
  bool saves_traffic(const TiledGroup& group, std::int64_t outer, std::int64_t last) const;
  /// Whether the factors of all products depend on the outer rows.
  bool has_batched_factors(const TiledGroup& group) const;
  /// Whether threads can share the columns of the products, as in products that run alone, and
  /// rematerialize what comes before them: no member reads the result of a product, and the other
  /// members write only local memory. See Subkernels::can_share_columns().
  bool can_share_columns(const TiledGroup& group) const;
  /// The most iterations of the outer row loops, and of the last one.
  struct Rows {
    std::int64_t outer = 1, last = 1;
  };
  static Rows rows_of(const TiledGroup& group);
  /// Whether a target that streams over the columns has as much parallel work as with separate
  /// kernels.
  bool fills_target(const TiledGroup& group) const;
  /// Why row tiles of `group` would be slower than its members as separate kernels; empty if they
  /// are faster: there are enough rows, and not too much to read again for each tile of them.
  std::string_view loss(const TiledGroup& group) const;
  bool has_few_instructions(const TiledGroup& group) const;
  /// The products of `group` that use the result of `member`, a product, directly or through
  /// others, as a factor; not those that only use it in their epilogue.
  Vector<std::size_t> next_products(const TiledGroup& group, const GroupMember& member) const;
  /// Whether any two products of the group that depend on each other may share a kernel.
  bool is_chained(const TiledGroup& group) const;
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/tiled_group_cost.ipp>
#endif
