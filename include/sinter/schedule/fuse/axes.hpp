#pragma once
// Which axes of the space of a fusion group an index is read along, and an axis divided in two.

#include <cstdint>  // std::uint32_t
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/domain.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// Which axes of a cluster the reduced axes of an index go along, and which the others.
struct Coverage {
  std::uint32_t reduced = 0, kept = 0;

  Coverage(const Cluster& cluster, const Index& index, std::uint32_t axes);
};

/// The axes of a cluster that have loops.
std::uint32_t looped_axes(const Cluster& cluster);

/// The first of them, whose steps are put into chunks.
std::uint32_t first_axis(const Cluster& cluster);

/// The last axes of `all` that are in `set`, if the last one is, or that are not, if it is not.
std::uint32_t last_run(std::uint32_t all, std::uint32_t set);

/// By what `index` divides what goes along `axis` of `cluster`, which goes on in whole steps of it.
std::vector<Extent> divisors_of(const Cluster& cluster, int axis, const Index& index);

/// What variables are replaced by.
using Replacements = std::vector<std::pair<Extent, Extent>>;

/// `index` with `values`.
Index replaced(Index index, const Replacements& values);

/// `cluster` with `axis` as two, of which the inner one has `extent`, and what its ranges are then.
Cluster divided(const Cluster& cluster, int axis, Extent extent, Replacements& values);

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/axes.ipp>
#endif
