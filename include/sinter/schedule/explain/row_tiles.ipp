#pragma once

#include <algorithm>  // std::all_of, std::any_of, std::none_of

#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/explain/row_tiles.hpp>
#include <sinter/schedule/tile/grouping.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// What keeps the pieces of `group` from being one kernel; empty if nothing.
SINTER_INLINE std::string obstacle(const Grouper& grouper, Group group) {
  const auto all = [&](const auto& holds) {
    return std::all_of(group.pieces.begin(), group.pieces.end(), holds);
  };
  const auto sums = [&](const Piece& one) { return has(grouper.kernel(one), Code::combine); };
  if (std::any_of(group.pieces.begin(), group.pieces.end(), sums)) {
    return "one of the two also reduces over rows, which blocks of rows do not";
  }
  const auto can_be = [&](const Piece& one) { return can_be_piece(grouper.kernel(one)); };
  if (!all(can_be)) return "one of the two sorts, scatters, cumulates or looks for positions";
  const auto is_product = [&](const Piece& one) { return grouper.is_product(one); };
  const auto has_form = [&](const Piece& one) { return grouper.has_form(one); };
  if (!all([&](const Piece& one) { return !is_product(one) || has_form(one); })) {
    return all(is_product)
               ? "each product is a kernel of its own"
               : "each element of the product is a row of the other, with sums of its own";
  }
  if (!all(has_form)) {
    return "a row of the one is several rows of the other, each with sums of its own";
  }
  if (!grouper.choose_blocks(group)) return "its products share no factor in neighbouring rows";
  if (!grouper.hands_on_rows(group)) return "each row needs other rows than its own";
  if (!grouper.is_linked(group)) {
    return "two products share a kernel only around a reduction whose row is the widest";
  }
  if (grouper.streams && !grouper.keeps_busy(group)) {
    return "its rows are too few to keep a GPU busy, each with all columns of the product";
  }
  if (!grouper.streams &&
      !all([&](const Piece& one) { return !grouper.reads_across(group, one); })) {
    return "the elements of a row that one of the two reads lie far apart in memory";
  }
  if (!grouper.pays(group)) return "in blocks of rows its products would take longer";
  const bool is_long = !grouper.streams && grouper.row_bytes(group) > most_row_bytes;
  if (is_long) return "a row takes too much memory";
  return grouper.has_cycle(group) ? "a kernel that runs between them needs it too" : "";
}

}  // namespace detail

SINTER_INLINE BlockReasons::BlockReasons(const Graph& graph, const std::vector<Lowered>& kernels,
                                         bool streams) {
  // Made in its place: parts of it refer to each other.
  const std::shared_ptr<detail::Grouper> grouper(new detail::Grouper{{{graph, kernels, streams}}});
  grouper->start();
  while (grouper->join_all()) {
  }
  grouper_ = grouper;
}

SINTER_INLINE std::string BlockReasons::reason(NodeId node, std::size_t reader) const {
  const detail::Grouper& grouper = *grouper_;
  const std::int32_t writer = grouper.traces.writer(node);
  if (writer < 0 || static_cast<std::size_t>(writer) == reader) return "";
  const auto from = static_cast<std::size_t>(writer);
  const std::int32_t a = grouper.group_of[from], b = grouper.group_of[reader];
  const Group &x = grouper.groups[static_cast<std::size_t>(a)],
              &y = grouper.groups[static_cast<std::size_t>(b)];
  if (grouper.streams && !(grouper.between[from] && grouper.between[reader])) return "";
  if (grouper.streams && a == b) return "no kernel of a GPU streams over what the two compute";
  const auto is_product = [&](const Piece& piece) { return grouper.is_product(piece); };
  if (a == b || (std::none_of(x.pieces.begin(), x.pieces.end(), is_product) &&
                 std::none_of(y.pieces.begin(), y.pieces.end(), is_product))) {
    return "";
  }
  const Group both = grouper.joined(x, from, y, reader, node);
  if (both.pieces.empty()) return "it runs over other rows than those that are computed";
  return detail::obstacle(grouper, both);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
