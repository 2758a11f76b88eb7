#pragma once
// Tiled groups: the kernels that row-tile fusion makes one kernel of.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t, std::uint32_t
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/ir/refusals.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/schedule/lower/dependences.hpp>
#include <sinter/schedule/tile/factors.hpp>
#include <sinter/schedule/tile/merge_order.hpp>
#include <sinter/schedule/tile/node_accesses.hpp>
#include <sinter/schedule/tile/tiled_group_cost.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

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
  // Two groups that could not be merged are tried again only after one of them changes, or in the
  // second phase if it was only the first phase that ruled them out. `changed` holds the time of
  // each group's last change. For each kernel and each of its nodes, `tried` holds the time of the
  // last attempt to merge the kernel with the writer of the node.
  std::uint32_t clock = 1;
  Vector<std::uint32_t> changed{};
  Vector<Vector<std::uint32_t>> tried{};
  bool is_postponed = false;           // whether the last merge() has to wait for the second phase
  Vector<std::uint32_t*> postponed{};  // the entries of `tried` that have to
  // On a GPU: the kernels that may be in a group, and the accepted subgroups of each group.
  const AcceptsStreaming* accepts = nullptr;
  Vector<bool> chained{};
  Vector<Vector<TiledGroup>> accepted{};
  Refusals* refusals = nullptr;  // if somebody asks for reasons

  void start() {
    if (facts.streams) {
      chained = facts.chains.chained_kernels();
      accepted.resize(facts.kernels.size());
    }
    for (std::size_t k = 0; k < facts.kernels.size(); ++k) {
      const LoweredKernel& lowered = facts.kernels[k];
      sums_windows.push_back(lowered.is_product &&
                             will_sum_windows(lowered.kernel, facts.target.loops));
      reads_strips.push_back(facts.target.row_tiles.has_window_strips && lowered.is_product &&
                             schedule::reads_windows(lowered.kernel));
      group_of.push_back(static_cast<std::int32_t>(groups.size()));
      GroupMember member{k, {}};
      for (const Loop& loop : lowered.kernel.grid) member.rows.push_back(loop.variable);
      groups.push_back({{std::move(member)}});
      changed.push_back(clock);
      tried.push_back(Vector<std::uint32_t>(facts.kernels[k].nodes.size()));
    }
  }

  /// The members of `group`, over the listed rows only.
  static Vector<GroupMember> with_rows(const TiledGroup& group, const AxisNumbers& rows) {
    Vector<GroupMember> result;
    result.reserve(group.members.size());
    for (const GroupMember& member : group.members) {
      GroupMember one{member.kernel};
      for (const int row : rows) one.rows.push_back(member.rows[row]);
      result.push_back(one);
    }
    return result;
  }

  /// The union of both groups, over the rows that reader and writer of `node` have in common.
  TiledGroup merged(const TiledGroup& from, std::size_t writer, const TiledGroup& to,
                    std::size_t reader, NodeId node) const {
    const GroupMember &x = facts.member_of(from, writer), &y = facts.member_of(to, reader);
    const Vector<Index>& stores = facts.accesses.indices(writer, node, Code::store);
    const Vector<Index>& loads = facts.accesses.indices(reader, node, Code::load);
    AxisNumbers from_rows, to_rows;
    if (stores.size() != 1 || loads.empty()) return {};
    for (int axis = 0; axis < stores[0].size(); ++axis) {
      const int a = facts.row_of(x, stores[0][axis]), b = facts.row_of(y, loads[0][axis]);
      if (a < 0 || b < 0 || !same(x.rows[a].range_extent(), y.rows[b].range_extent())) continue;
      from_rows.push_back(a);
      to_rows.push_back(b);
    }
    if (from_rows.empty()) return {};
    TiledGroup result{with_rows(from, from_rows), from.single_rows};
    const Vector<GroupMember> others = with_rows(to, to_rows);
    result.members.append(others.begin(), others.end());
    stable_sort(result.members,
                [](const GroupMember& a, const GroupMember& b) { return a.kernel < b.kernel; });
    return result;
  }

  /// Whether the group can run `member` in tiles: a reduction has to be whole; a product has
  /// columns, or is itself a reduction if it has none, such as that of a query and a single key.
  bool has_tileable_form(const GroupMember& member) const {
    const std::size_t inner = facts.column_count(member);
    if (facts.is_product(member)) return inner > 0 || facts.is_short_dot(member);
    return inner == 0 || loop_stage(facts.kernel(member)) == nullptr;
  }

  /// Whether `member`, a product, has a factor that does not depend on `row`, so that all rows of a
  /// tile share it. Neither factor depends on it if, for example, one number is the gradient of all
  /// elements of a product.
  bool shares_factor(const GroupMember& member, Extent row) const {
    const Vector<ValueId> all = factors_of(facts.kernel(member));
    return any_of(all,
                  [&](ValueId factor) { return !varies_along(facts.kernel(member), factor, row); });
  }

  /// Whether no product has a factor that rows share.
  bool shares_no_factor(const TiledGroup& group) const {
    return none_of(group.members, [&](const GroupMember& member) {
      return facts.is_product(member) &&
             any_of(member.rows, [&](Extent row) { return shares_factor(member, row); });
    });
  }

  /// Makes the row loop last along which the products share the largest factors. If there is none,
  /// as for rows with a query and keys of their own, tiles have a single row. False if only some
  /// products have a factor to share.
  bool choose_tiled_rows(TiledGroup& group) const {
    int best = -1;
    std::int64_t most = 0;
    for (int row = 0; row < group.members[0].rows.size(); ++row) {
      const bool all = all_of(group.members, [&](const GroupMember& member) {
        return !facts.is_product(member) || shares_factor(member, member.rows[row]);
      });
      const std::int64_t size = bounds(group.members[0].rows[row].range_extent()).max;
      if (!all || size < most) continue;
      best = row;
      most = size;
    }
    group.single_rows = best < 0;
    if (group.single_rows) return shares_no_factor(group);
    AxisNumbers rows;
    for (int row = 0; row < group.members[0].rows.size(); ++row) {
      if (row != best) rows.push_back(row);
    }
    rows.push_back(best);
    group.members = with_rows(group, rows);
    return true;
  }

  /// Whether a kernel outside of `group`, which merges two groups, would have to run between its
  /// members.
  bool has_cycle(const TiledGroup& group) const {
    const auto unit_of = [&](const GroupMember& member) {
      return static_cast<std::size_t>(group_of[member.kernel]);
    };
    const std::size_t first = unit_of(group.members[0]);
    for (const GroupMember& member : group.members) {
      if (unit_of(member) != first) return !units.may_merge(first, unit_of(member));
    }
    return false;
  }

  bool has_product(const TiledGroup& group) const {
    return any_of(group.members, [&](const GroupMember& one) { return facts.is_product(one); });
  }

  /// Why the form of a member of `group` does not allow row tiles; empty if all forms do.
  std::string_view form_obstacle(const TiledGroup& group) const {
    const auto all = [&](const auto& holds) { return all_of(group.members, holds); };
    if (any_of(group.members,
               [&](const GroupMember& one) { return facts.kernels[one.kernel].is_untileable; })) {
      return "one of the kernels updates some rows of its result";
    }
    if (any_of(group.members, [&](const GroupMember& one) { return sums_windows[one.kernel]; })) {
      return "a sum over windows that few rows share is a nest of loops";
    }
    if (any_of(group.members, [&](const GroupMember& one) { return reads_strips[one.kernel]; })) {
      return "a product of windows reads them from strips of the image";
    }
    if (any_of(group.members,
               [&](const GroupMember& one) { return has(facts.kernel(one), Code::combine); })) {
      return "one of the kernels also reduces across rows, which row tiling does not support";
    }
    if (!all([&](const GroupMember& one) { return can_be_tiled(facts.kernel(one)); })) {
      return "one of the kernels sorts, scans, scatters or computes an argmax";
    }
    const auto is_product = [&](const GroupMember& one) { return facts.is_product(one); };
    const auto has_form = [&](const GroupMember& one) { return has_tileable_form(one); };
    if (all(has_form)) return "";
    if (all([&](const GroupMember& one) { return !is_product(one) || has_form(one); })) {
      return "a row of one kernel spans several rows of the other, each with its own reductions";
    }
    return all(is_product)
               ? "each product needs a kernel of its own"
               : "each element of the product is a row of the other kernel, with its own "
                 "reductions";
  }

  /// What keeps the members of `group`, which has a product, from being one kernel; empty if
  /// nothing does. Chooses the tiled rows.
  std::string_view obstacle(TiledGroup& group) const {
    const std::string_view form = form_obstacle(group);
    if (!form.empty()) return form;
    if (!choose_tiled_rows(group)) return "its products do not share factors across the same rows";
    if (!cost.depends_on_own_rows(group)) return "each row reads rows other than its own";
    if (!cost.is_chained(group)) {
      return "two products share a kernel only around a reduction of the widest rows";
    }
    const std::string_view loss = cost.loss(group);
    if (!loss.empty()) return loss;
    const bool fits = facts.streams || cost.has_short_rows(group);
    return fits ? "" : "a row needs too much scratch memory";
  }

  /// Notes why `reader` loads `node`. Always false.
  bool refuse(NodeId node, std::size_t reader, std::string_view reason) {
    if (refusals != nullptr) refusals->add(node, facts.kernels[reader].groups, reason);
    return false;
  }

  /// Whether `both`, which merges `from` and `to`, may form in this phase. Groups with a factor
  /// that rows share come first, since they have the larger intermediates. Groups with single rows,
  /// whose rows are columns of a product, or without a product are merged in the second phase, from
  /// the kernels that remain.
  bool is_allowed_in_phase(const TiledGroup& both, const TiledGroup& from,
                           const TiledGroup& to) const {
    const bool has_transposed = any_of(
        both.members, [&](const GroupMember& member) { return facts.is_transposed(member); });
    if (!both.single_rows) return (has_product(both) && !has_transposed) || merges_rest;
    const auto is_shared = [](const TiledGroup& one) {
      return !one.single_rows && one.members.size() > 1;
    };
    return merges_rest && !is_shared(from) && !is_shared(to);
  }

  bool merge(std::size_t writer, std::size_t reader, NodeId node) {
    const std::int32_t a = group_of[writer], b = group_of[reader];
    if (a == b) return false;
    TiledGroup& from = groups[a];
    TiledGroup& to = groups[b];
    if (facts.streams && !(chained[writer] && chained[reader])) return false;
    const bool has_products = has_product(from) || has_product(to);
    is_postponed = !merges_rest && !has_products;
    if (is_postponed) return false;
    TiledGroup both = merged(from, writer, to, reader, node);
    std::string_view found =
        both.members.empty() ? "it iterates over different rows" : obstacle(both);
    if (found.empty() && has_cycle(both)) found = refusal::kernel_between;
    if (found.empty() && !is_allowed_in_phase(both, from, to)) {
      found = "the rows of only one of the kernels share a factor";
      is_postponed = true;
    }
    // Without products, the reason is that of the fusion groups.
    if (!found.empty()) return has_products && refuse(node, reader, found);
    units.merge(static_cast<std::size_t>(a), static_cast<std::size_t>(b));
    for (const GroupMember& member : both.members) group_of[member.kernel] = a;
    from = std::move(both);
    to.members.clear();
    changed[a] = ++clock;
    if (facts.streams && !accept(static_cast<std::size_t>(a), static_cast<std::size_t>(b))) {
      refuse(node, reader, "no streaming GPU kernel computes both");
    }
    return true;
  }

  /// Accepts group `a`, which now includes `b`, if it can be one kernel; else keeps the accepted
  /// subgroups of both. Whether it did.
  bool accept(std::size_t a, std::size_t b) {
    const bool is_accepted = accepts != nullptr && (*accepts)(groups[a]);
    if (is_accepted) {
      accepted[a] = {groups[a]};
    } else {
      accepted[a].insert(accepted[a].end(), accepted[b].begin(), accepted[b].end());
    }
    accepted[b].clear();
    return is_accepted;
  }

  /// Merges all readers of `node` at once, if that makes `node` local to a group whose columns
  /// threads can share.
  bool merge_readers(std::size_t writer, NodeId node) {
    const auto a = static_cast<std::size_t>(group_of[writer]);
    KernelNumbers others, readers;  // groups, and a reader in each
    bool has_products = has_product(groups[a]);
    for (const std::size_t reader : facts.accesses.readers(node)) {
      const auto b = static_cast<std::size_t>(group_of[reader]);
      if (b == a || contains(others, b)) continue;
      others.push_back(b);
      readers.push_back(reader);
      has_products = has_products || has_product(groups[b]);
    }
    if (others.size() < 2 || !has_products) return false;
    TiledGroup all = groups[a];
    for (std::size_t i = 0; i < others.size(); ++i) {
      all = merged(all, writer, groups[others[i]], readers[i], node);
      if (all.members.empty()) return false;
    }
    if (!cost.can_share_columns(all) || !obstacle(all).empty() || all.single_rows) return false;
    MergeOrder trial = units;
    for (const std::size_t b : others) {
      if (!trial.may_merge(a, b)) return false;
      trial.merge(a, b);
    }
    units = std::move(trial);
    for (const std::size_t b : others) groups[b].members.clear();
    for (const GroupMember& member : all.members)
      group_of[member.kernel] = static_cast<std::int32_t>(a);
    groups[a] = std::move(all);
    changed[a] = ++clock;
    return true;
  }

  /// Whether a group of `writer` or of these readers changed after `last`.
  bool has_changed_since(std::uint32_t last, std::size_t writer,
                         Span<const std::size_t> readers) const {
    const auto is_newer = [&](std::size_t kernel) { return changed[group_of[kernel]] > last; };
    return is_newer(writer) || any_of(readers, is_newer);
  }

  bool merge_all() {
    bool any = false;
    for (std::size_t k = 0; k < facts.kernels.size(); ++k) {
      for (std::size_t i = 0; i < facts.kernels[k].nodes.size(); ++i) {
        const NodeId node = facts.kernels[k].nodes[i];
        if (facts.accesses.writer(node) < 0) continue;
        const auto writer = static_cast<std::size_t>(facts.accesses.writer(node));
        if (writer >= k) continue;
        const auto& readers = facts.accesses.readers(node);
        const bool with_readers = !facts.streams && readers[0] == k;
        const Span<const std::size_t> others =
            with_readers ? Span<const std::size_t>(readers) : Span<const std::size_t>(&k, 1);
        if (!has_changed_since(tried[k][i], writer, others)) continue;
        any |= with_readers && merge_readers(writer, node);
        is_postponed = false;
        any |= merge(writer, k, node);
        tried[k][i] = ++clock;
        if (is_postponed && !merges_rest) postponed.push_back(&tried[k][i]);
      }
    }
    return any;
  }

  void begin_second_phase() {
    merges_rest = true;
    for (std::uint32_t* const last : postponed) *last = 0;
  }
};

}  // namespace detail

/// The tiled groups of `kernels` with several members: products and what is around them, or rows of
/// different lengths. If `streams` is given, they are for a GPU, and it accepts each of them.
/// `refusals`, if not null, gets the reasons of what was not merged.
inline Vector<TiledGroup> create_tiled_groups(const Graph& graph,
                                              const Vector<LoweredKernel>& kernels,
                                              const Target& target,
                                              const AcceptsStreaming* streams = nullptr,
                                              Refusals* refusals = nullptr) {
  detail::TiledGroupBuilder builder{{graph, kernels, target, streams != nullptr}};
  builder.accepts = streams;
  builder.refusals = refusals;
  builder.start();
  while (builder.merge_all()) {
  }
  builder.begin_second_phase();
  while (builder.merge_all()) {
  }
  Vector<TiledGroup> result;
  for (const Vector<TiledGroup>& list : builder.accepted) {
    result.insert(result.end(), list.begin(), list.end());
  }
  if (streams != nullptr) return result;
  for (TiledGroup& group : builder.groups) {
    if (group.members.size() > 1) result.push_back(std::move(group));
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
