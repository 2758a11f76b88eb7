#pragma once

#include <algorithm>  // std::any_of, std::find, std::sort
#include <utility>    // std::move

#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/schedule/tile/factors.hpp>
#include <sinter/schedule/tile/grouping.hpp>
#include <sinter/schedule/tile/merge_order.hpp>
#include <sinter/schedule/tile/row_group.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

SINTER_INLINE void Grouper::start() {
  if (streams) between = links.between(), accepted.resize(kernels.size());
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    group_of.push_back(static_cast<std::int32_t>(groups.size()));
    Piece piece{k, {}};
    for (const Loop& loop : kernels[k].kernel.grid) piece.rows.push_back(loop.variable);
    groups.push_back({{std::move(piece)}});
  }
}

SINTER_INLINE Group Grouper::with_rows(const Group& group, const std::vector<int>& rows) {
  Group result = group;
  for (std::size_t p = 0; p < group.pieces.size(); ++p) {
    result.pieces[p].rows = {};
    for (const int row : rows) result.pieces[p].rows.push_back(group.pieces[p].rows[row]);
  }
  return result;
}

SINTER_INLINE Group Grouper::joined(const Group& from, std::size_t writer, const Group& to,
                                    std::size_t reader, NodeId node) const {
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

SINTER_INLINE bool Grouper::has_form(const Piece& piece) const {
  const std::size_t inner = columns(piece).size();
  if (is_product(piece)) return inner > 0 || is_short_row(piece);
  return inner == 0 || loop_stage(kernel(piece)) == nullptr;
}

SINTER_INLINE bool Grouper::shares(const Piece& piece, Extent row) const {
  const std::vector<ValueId> all = factors_of(kernel(piece));
  return std::any_of(all.begin(), all.end(),
                     [&](ValueId factor) { return !goes_along(kernel(piece), factor, row); });
}

SINTER_INLINE bool Grouper::shares_nothing(const Group& group) const {
  return std::none_of(group.pieces.begin(), group.pieces.end(), [&](const Piece& piece) {
    return is_product(piece) && std::any_of(piece.rows.begin(), piece.rows.end(),
                                            [&](Extent row) { return shares(piece, row); });
  });
}

SINTER_INLINE bool Grouper::choose_blocks(Group& group) const {
  int best = -1;
  std::int64_t most = 0;
  for (int row = 0; row < group.pieces[0].rows.size(); ++row) {
    const bool all = std::all_of(group.pieces.begin(), group.pieces.end(), [&](const Piece& piece) {
      return !is_product(piece) || shares(piece, piece.rows[row]);
    });
    const std::int64_t size = bounds(group.pieces[0].rows[row].range_extent()).max;
    if (!all || size < most) continue;
    best = row;
    most = size;
  }
  group.is_single = best < 0;
  if (group.is_single) return shares_nothing(group);
  std::vector<int> rows;
  for (int row = 0; row < group.pieces[0].rows.size(); ++row) {
    if (row != best) rows.push_back(row);
  }
  rows.push_back(best);
  group = with_rows(group, rows);
  return true;
}

SINTER_INLINE bool Grouper::has_cycle(const Group& group) const {
  const auto unit_of = [&](const Piece& piece) {
    return static_cast<std::size_t>(group_of[piece.kernel]);
  };
  const std::size_t first = unit_of(group.pieces[0]);
  for (const Piece& piece : group.pieces) {
    if (unit_of(piece) != first) return !units.may_join(first, unit_of(piece));
  }
  return false;
}

SINTER_INLINE bool Grouper::is_right(Group& group) const {
  bool product = false;
  for (const Piece& piece : group.pieces) {
    if (kernels[piece.kernel].is_apart || !can_be_piece(kernel(piece)) || !has_form(piece))
      return false;
    if (streams && !between[piece.kernel]) return false;
    product |= is_product(piece);
  }
  return product && choose_blocks(group) && hands_on_rows(group) && pays(group) &&
         (streams || row_bytes(group) <= most_row_bytes) && is_linked(group);
}

SINTER_INLINE bool Grouper::is_in_turn(const Group& both, const Group& from,
                                       const Group& to) const {
  const bool turns = std::any_of(both.pieces.begin(), both.pieces.end(),
                                 [&](const Piece& piece) { return is_turned(piece); });
  if (!both.is_single) return !turns || joins_rest;
  const auto is_block = [](const Group& one) { return !one.is_single && one.pieces.size() > 1; };
  return joins_rest && !is_block(from) && !is_block(to);
}

SINTER_INLINE bool Grouper::join(std::size_t writer, std::size_t reader, NodeId node) {
  const std::int32_t a = group_of[writer], b = group_of[reader];
  if (a == b) return false;
  Group& from = groups[static_cast<std::size_t>(a)];
  Group& to = groups[static_cast<std::size_t>(b)];
  Group both = joined(from, writer, to, reader, node);
  if (both.pieces.empty() || !is_right(both) || has_cycle(both)) return false;
  if (!is_in_turn(both, from, to)) return false;
  units.join(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
  for (const Piece& piece : both.pieces) group_of[piece.kernel] = a;
  from = std::move(both);
  to.pieces.clear();
  if (streams) accept(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
  return true;
}

SINTER_INLINE void Grouper::accept(std::size_t a, std::size_t b) {
  if (accepts != nullptr && (*accepts)(groups[a])) {
    accepted[a] = {groups[a]};
  } else {
    accepted[a].insert(accepted[a].end(), accepted[b].begin(), accepted[b].end());
  }
  accepted[b].clear();
}

SINTER_INLINE bool Grouper::join_readers(std::size_t writer, NodeId node) {
  const auto a = static_cast<std::size_t>(group_of[writer]);
  Group all = groups[a];
  std::vector<std::size_t> others;
  for (const std::size_t reader : traces.readers(node)) {
    const auto b = static_cast<std::size_t>(group_of[reader]);
    if (b == a || std::find(others.begin(), others.end(), b) != others.end()) continue;
    all = joined(all, writer, groups[b], reader, node);
    if (all.pieces.empty()) return false;
    others.push_back(b);
  }
  if (others.size() < 2 || !divides(all) || !is_right(all) || all.is_single) return false;
  Units together = units;
  for (const std::size_t b : others) {
    if (!together.may_join(a, b)) return false;
    together.join(a, b);
  }
  units = std::move(together);
  for (const std::size_t b : others) groups[b].pieces.clear();
  for (const Piece& piece : all.pieces) group_of[piece.kernel] = static_cast<std::int32_t>(a);
  groups[a] = std::move(all);
  return true;
}

SINTER_INLINE bool Grouper::join_all() {
  bool any = false;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for (const NodeId node : kernels[k].nodes) {
      const std::int32_t writer = traces.writer(node);
      if (writer < 0 || static_cast<std::size_t>(writer) >= k) continue;
      const bool is_first = traces.readers(node)[0] == k;
      any |= !streams && is_first && join_readers(static_cast<std::size_t>(writer), node);
      any |= join(static_cast<std::size_t>(writer), k, node);
    }
  }
  return any;
}

}  // namespace detail

SINTER_INLINE std::vector<Group> group_rows(const Graph& graph, const std::vector<Lowered>& kernels,
                                            const StreamsGroup* streams) {
  detail::Grouper grouper{{{graph, kernels, streams != nullptr}}};
  grouper.accepts = streams;
  grouper.start();
  for (const bool rest : {false, true}) {
    grouper.joins_rest = rest;
    while (grouper.join_all()) {
    }
  }
  std::vector<Group> result;
  for (const std::vector<Group>& list : grouper.accepted) {
    result.insert(result.end(), list.begin(), list.end());
  }
  if (streams != nullptr) return result;
  for (Group& group : grouper.groups) {
    if (group.pieces.size() > 1) result.push_back(std::move(group));
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
