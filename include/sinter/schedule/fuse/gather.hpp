#pragma once
// Fusion of a gather with the rows it reads: the kernel that computes the rows rematerializes the
// gathered element.

#include <cstdint>  // std::int32_t

#include <sinter/config.hpp>
#include <sinter/schedule/fuse/groups.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

struct GroupBuilder;

/// Finds which elements a group can read or rematerialize.
struct ElementReader {
  const GroupBuilder& builder;
  std::int32_t group = 0;
  int budget = 0;  ///< The operations that may be rematerialized.

  /// Whether the group can read `value` at `index`: from memory, computed for this element, or
  /// elementwise from such values.
  bool reads(Value value, const Index& index);
};

/// Whether `group` can compute element `index` of `gather`.
bool can_fuse_gather(const GroupBuilder& builder, const Node& gather, const Index& index,
                     std::int32_t group);

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/gather.ipp>
#endif
