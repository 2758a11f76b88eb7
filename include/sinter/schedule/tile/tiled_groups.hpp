#pragma once
// Tiled groups: the kernels that row-tile fusion makes one kernel of.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t, std::uint32_t
#include <vector>   // std::vector

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/refusals.hpp>
#include <sinter/schedule/tile/merge_order.hpp>
#include <sinter/schedule/tile/node_accesses.hpp>
#include <sinter/schedule/tile/tiled_group_cost.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Whether a GPU can run a group as one streaming kernel.
using AcceptsStreaming = FunctionRef<bool(const TiledGroup&)>;

namespace detail {

/// Builds tiled groups: merges writers and readers of the same rows where that is profitable.
struct TiledGroupBuilder {
  TiledGroupFacts facts;
  TiledGroupCost cost{facts};
  MergeOrder units{facts.kernels};
  Vector<std::int32_t> group_of{};  // for each kernel
  Vector<TiledGroup> groups{};      // of one kernel each at first
  Vector<bool> sums_windows{};      // of each kernel: see will_sum_windows()
  Vector<bool> reads_strips{};      // of each kernel: see reads_windows()
  bool merges_rest = false;         // the second phase: see is_allowed_in_phase()
  // Groups that cannot be merged cannot be merged later, until one of them changes or the second
  // phase begins: when each group changed last, and when each kernel tried to merge with the writer
  // of each of its nodes, in steps of the clock.
  std::uint32_t clock = 1;
  Vector<std::uint32_t> changed{};
  Vector<Vector<std::uint32_t>> tried{};
  // On a GPU: the kernels that may be in a group, and the accepted subgroups of each group.
  const AcceptsStreaming* accepts = nullptr;
  Vector<bool> chained{};
  Vector<Vector<TiledGroup>> accepted{};
  Refusals* refusals = nullptr;  // if somebody asks for reasons

  void start();
  /// `group` over the listed rows only.
  static TiledGroup with_rows(const TiledGroup& group, const std::vector<int>& rows);
  /// The union of both groups, over the rows that reader and writer of `node` have in common.
  TiledGroup merged(const TiledGroup& from, std::size_t writer, const TiledGroup& to,
                    std::size_t reader, NodeId node) const;
  /// Whether the group can run `member` in tiles: a reduction has to be whole; a product has
  /// columns, or is itself a reduction if it has none, such as that of a query and a single key.
  bool has_tileable_form(const GroupMember& member) const;
  /// Whether `member`, a product, has a factor that does not depend on `row`, so that all rows of a
  /// tile share it. Neither factor depends on it if, for example, one number is the gradient of all
  /// elements of a product.
  bool shares_factor(const GroupMember& member, Extent row) const;
  /// Whether no product has a factor that rows share.
  bool shares_no_factor(const TiledGroup& group) const;
  /// Makes the row loop last along which the products share the largest factors. If there is none,
  /// as for rows with a query and keys of their own, tiles have a single row. False if only some
  /// products have a factor to share.
  bool choose_tiled_rows(TiledGroup& group) const;
  /// Whether a kernel outside of `group`, which merges two groups, would have to run between its
  /// members.
  bool has_cycle(const TiledGroup& group) const;
  bool has_product(const TiledGroup& group) const;
  /// Why the form of a member of `group` does not allow row tiles; empty if all forms do.
  std::string_view form_obstacle(const TiledGroup& group) const;
  /// What keeps the members of `group`, which has a product, from being one kernel; empty if
  /// nothing does. Chooses the tiled rows.
  std::string_view obstacle(TiledGroup& group) const;
  /// Notes why `reader` loads `node`. Always false.
  bool refuse(NodeId node, std::size_t reader, std::string_view reason);
  /// Whether `both`, which merges `from` and `to`, may form in this phase. Groups with a factor
  /// that rows share come first, since they have the larger intermediates. Groups with single rows,
  /// whose rows are columns of a product, or without a product are merged in the second phase, from
  /// the kernels that remain.
  bool is_allowed_in_phase(const TiledGroup& both, const TiledGroup& from,
                           const TiledGroup& to) const;
  bool merge(std::size_t writer, std::size_t reader, NodeId node);
  /// Accepts group `a`, which now includes `b`, if it can be one kernel; else keeps the accepted
  /// subgroups of both. Whether it did.
  bool accept(std::size_t a, std::size_t b);
  /// Merges all readers of `node` at once, if that makes `node` local to a group whose columns
  /// threads can share.
  bool merge_readers(std::size_t writer, NodeId node);
  /// Whether a group of `writer` or of these readers changed after `last`.
  bool has_changed_since(std::uint32_t last, std::size_t writer,
                         Span<const std::size_t> readers) const;
  bool merge_all();
  void begin_second_phase();
};

}  // namespace detail

/// The tiled groups of `kernels` with several members: products and what is around them, or rows of
/// different lengths. If `streams` is given, they are for a GPU, and it accepts each of them.
/// `refusals`, if not null, gets the reasons of what was not merged.
Vector<TiledGroup> create_tiled_groups(const Graph& graph, const Vector<LoweredKernel>& kernels,
                                       const Target& target,
                                       const AcceptsStreaming* streams = nullptr,
                                       Refusals* refusals = nullptr);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/tiled_groups.ipp>
#endif
