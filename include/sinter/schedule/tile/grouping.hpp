#pragma once
// The groups of kernels that run row tile by row tile as one.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t
#include <vector>   // std::vector

#include <sinter/base/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/tile/merge_order.hpp>
#include <sinter/schedule/tile/profit.hpp>
#include <sinter/schedule/tile/row_group.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Whether a GPU runs a group as one kernel.
using StreamsGroup = FunctionRef<bool(const Group&)>;

namespace detail {

/// Puts kernels into groups: writers and readers of the same rows, as long as that pays.
struct Grouper : GroupCost {
  Units units{kernels};
  std::vector<std::int32_t> group_of{};  // of each kernel; -1 if it can be in none
  std::vector<Group> groups{};           // of one kernel at first
  bool joins_rest = false;               // see is_in_turn()
  // Of a GPU: what may be in a group, and the parts of each group that can run as one kernel.
  const StreamsGroup* accepts = nullptr;
  std::vector<bool> between{};
  std::vector<std::vector<Group>> accepted{};

  void start();
  /// The rows of `group` that are listed.
  static Group with_rows(const Group& group, const std::vector<int>& rows);
  /// Both groups, over the rows that reader and writer of `node` have in common.
  Group joined(const Group& from, std::size_t writer, const Group& to, std::size_t reader,
               NodeId node) const;
  /// Reductions that come one after the other stay whole; a product goes on over its columns, or is
  /// a reduction itself where it has none, as that of a query and a single key.
  bool has_form(const Piece& piece) const;
  /// Whether `piece`, a product, has a factor that is the same in all rows of a block. The other
  /// one may be as well, as where one number is the gradient of all that a product gave.
  bool shares(const Piece& piece, Extent row) const;
  /// Whether no product has a factor that neighbouring rows share.
  bool shares_nothing(const Group& group) const;
  /// Puts that row last whose neighbours share the most. Where there is none, as where each row has
  /// one query and keys of its own, rows are single; false if only some products share nothing.
  bool choose_blocks(Group& group) const;
  /// Whether a kernel of another group has to run between those of `group`, which come from two.
  bool has_cycle(const Group& group) const;
  bool is_right(Group& group) const;
  /// Whether `both`, made of `from` and `to`, may form. What neighbouring rows of products hand on
  /// is the larger part: groups whose rows share nothing, or are columns of a product, come later,
  /// with what is left.
  bool is_in_turn(const Group& both, const Group& from, const Group& to) const;
  bool join(std::size_t writer, std::size_t reader, NodeId node);
  /// Group `a`, of which `b` is a part now, if it can be a kernel; else what can be of the two.
  void accept(std::size_t a, std::size_t b);
  /// Joins all readers of `node` at once, where that is what makes it local to a group that
  /// divides.
  bool join_readers(std::size_t writer, NodeId node);
  bool join_all();
};

}  // namespace detail

/// The groups of `kernels`: those of several kernels, one of them a product. If `streams` is given,
/// they are for a GPU, and it says yes to each.
std::vector<Group> group_rows(const Graph& graph, const std::vector<Lowered>& kernels,
                              const StreamsGroup* streams = nullptr);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/tile/grouping.ipp>
#endif
