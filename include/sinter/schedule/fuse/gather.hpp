#pragma once
// What a gather takes of rows that the same kernel computes: one element, computed again.

#include <cstdint>  // std::int32_t

#include <sinter/config.hpp>
#include <sinter/schedule/fuse/groups.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

struct Clusterer;

/// So many operations for one element are little beside a row.
inline constexpr int most_computed_for_taken = 64;

/// Finds out which elements a cluster reads, or computes again.
struct RowReader {
  const Clusterer& clusterer;
  std::int32_t cluster = 0;
  int left = most_computed_for_taken;

  /// Whether `value` at `index` is to be had in the cluster: in memory, computed for that very
  /// element, or elementwise from what is.
  bool reads(Value value, const Index& index);
};

/// Whether `gather`, an element of which has `index`, can be computed in `cluster`.
bool reads_taken(const Clusterer& clusterer, const Node& gather, const Index& index,
                 std::int32_t cluster);

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/gather.ipp>
#endif
