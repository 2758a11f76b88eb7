#pragma once
// Fusion groups: the nodes that share a kernel. Groups run in order of their numbers. A node may
// join any group that is not earlier than the groups of its operands, so no cycle can arise.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t, std::int64_t

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/fusion_analysis.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/domain.hpp>
#include <sinter/schedule/rewrite/rfactor.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct FusionGroups {
  Vector<FusionGroup> groups{};
  Vector<Placement> placements{};  ///< For each node.
  PartialReductions partials{};
  std::int64_t max_partial_bytes = unbounded;  ///< Limit on the partial results of one group.
  std::size_t tried =
      0;  ///< How often a node was compared with a group; compile time is proportional.
};

/// A kernel with more values compiles slowly and spills registers.
inline constexpr std::size_t max_group_members = 64;

/// Places `members` in `group`, at their indices after the substitution `values`.
void place_members(FusionGroups& groups, const Vector<NodeId>& members, std::int32_t group,
                   const Substitutions& values);

/// Whether `group` stores nothing but partial results, so that no rows are computed there.
bool has_only_partials(const FusionGroups& groups, const FusionAnalysis& analysis,
                       std::int32_t group);

/// Bytes of all partial results of `group`, per chunk.
Extent group_partial_bytes(const Graph& graph, const FusionGroups& groups, std::int32_t group);

namespace detail {

/// Bytes of the partial result `id`, per chunk.
Extent partial_bytes(const Graph& graph, const FusionGroups& groups, NodeId id);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/groups.ipp>
#endif
