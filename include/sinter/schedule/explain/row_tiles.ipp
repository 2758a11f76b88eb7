#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/explain/row_tiles.hpp>
#include <sinter/schedule/tile/tiled_groups.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Why the form of a member of `group` does not allow row tiles; empty if all forms do.
SINTER_INLINE std::string form_obstacle(const TiledGroupBuilder& builder, const TiledGroup& group) {
  const TiledGroupFacts& facts = builder.facts;
  const auto all = [&](const auto& holds) { return all_of(group.members, holds); };
  const auto sums = [&](const GroupMember& one) { return has(facts.kernel(one), Code::combine); };
  if (any_of(group.members, sums)) {
    return "one of the kernels also reduces across rows, which row tiling does not support";
  }
  const auto can_be = [&](const GroupMember& one) { return can_be_tiled(facts.kernel(one)); };
  if (!all(can_be)) return "one of the kernels sorts, scans, scatters or computes an argmax";
  const auto is_product = [&](const GroupMember& one) { return facts.is_product(one); };
  const auto has_form = [&](const GroupMember& one) { return builder.has_tileable_form(one); };
  if (!all([&](const GroupMember& one) { return !is_product(one) || has_form(one); })) {
    return all(is_product) ? "each product needs a kernel of its own"
                           : "each element of the product is a row of the other kernel, with its "
                             "own reductions";
  }
  if (all(has_form)) return "";
  return "a row of one kernel spans several rows of the other, each with its own reductions";
}

// What keeps the members of `group` from being one kernel; empty if nothing.
SINTER_INLINE std::string row_tile_obstacle(const TiledGroupBuilder& builder, TiledGroup group) {
  const std::string form = form_obstacle(builder, group);
  if (!form.empty()) return form;
  if (!builder.choose_tiled_rows(group))
    return "its products do not share factors across the same rows";
  const TiledGroupCost& cost = builder.cost;
  if (!cost.depends_on_own_rows(group)) return "each row reads rows other than its own";
  if (!cost.is_chained(group)) {
    return "two products share a kernel only around a reduction of the widest rows";
  }
  const bool streams = builder.facts.streams;
  if (streams && !cost.fills_target(group)) {
    return "it has too few rows to fill a GPU, since each row iterates over all columns of the "
           "product";
  }
  const auto is_strided = [&](const GroupMember& one) { return cost.reads_strided(group, one); };
  if (!streams && any_of(group.members, is_strided)) {
    return "one of the kernels reads the elements of a row with a stride";
  }
  if (!cost.is_profitable(group)) return "its products would run slower in row tiles";
  if (!streams && !cost.has_short_rows(group)) return "a row needs too much scratch memory";
  return builder.has_cycle(group) ? "another kernel has to run between them" : "";
}

}  // namespace detail

SINTER_INLINE RowTileReasons::RowTileReasons(const Graph& graph,
                                             const Vector<LoweredKernel>& kernels,
                                             const Target& target) {
  // Constructed in place, since its parts refer to each other.
  const auto builder = share(UniquePtr<detail::TiledGroupBuilder>(
      new detail::TiledGroupBuilder{{graph, kernels, target, target.streams()}}));
  builder->start();
  while (builder->merge_all()) {
  }
  builder_ = builder;
}

SINTER_INLINE std::string RowTileReasons::reason(NodeId node, std::size_t reader) const {
  const detail::TiledGroupBuilder& builder = *builder_;
  const std::int32_t writer = builder.facts.accesses.writer(node);
  if (writer < 0 || static_cast<std::size_t>(writer) == reader) return "";
  const auto from = static_cast<std::size_t>(writer);
  const std::int32_t a = builder.group_of[from], b = builder.group_of[reader];
  const TiledGroup &x = builder.groups[static_cast<std::size_t>(a)],
                   &y = builder.groups[static_cast<std::size_t>(b)];
  if (builder.facts.streams && !(builder.chained[from] && builder.chained[reader])) return "";
  if (builder.facts.streams && a == b) return "no streaming GPU kernel computes both";
  const auto is_product = [&](const GroupMember& member) {
    return builder.facts.is_product(member);
  };
  if (a == b || (none_of(x.members, is_product) && none_of(y.members, is_product))) {
    return "";
  }
  const TiledGroup both = builder.merged(x, from, y, reader, node);
  if (both.members.empty()) return "it iterates over different rows";
  return detail::row_tile_obstacle(builder, both);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
