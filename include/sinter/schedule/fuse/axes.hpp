#pragma once
// Axes of a fusion group: which of them an index depends on, and splitting one of them in two.

#include <cstdint>  // std::uint32_t
#include <vector>   // std::vector

#include <sinter/base/container/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/domain.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// The axes of a group that the reduced axes of an index depend on, and those that its kept axes
/// depend on.
struct Coverage {
  std::uint32_t reduced = 0, kept = 0;

  Coverage(const FusionGroup& group, const Index& index, std::uint32_t axes);
};

/// The axes of a group that have loops.
std::uint32_t looped_axes(const FusionGroup& group);

/// The first of them: the axis whose iterations are divided into chunks.
std::uint32_t first_looped_axis(const FusionGroup& group);

/// The longest run of last axes of `all` that are either all in `set` or all outside of it.
std::uint32_t trailing_axes(std::uint32_t all, std::uint32_t set);

/// The divisors of `axis` in the quotients and remainders of `index` that divide the extent of
/// `axis`.
std::vector<Extent> axis_divisors(const FusionGroup& group, int axis, const Index& index);

/// `group` with `axis` split in two, the inner one of `extent`. Appends the new values of all
/// ranges to `values`.
FusionGroup split_axis(const FusionGroup& group, int axis, Extent extent, Substitutions& values);

/// If reduced and kept axes of `index` depend on the same axis of `group`, and on no other one
/// both: splits it where `fits` accepts the result and the index in it. False if it is not split;
/// else `values` has the new values of all ranges.
bool split_shared_axis(FusionGroup& group, Index& index, std::uint32_t axes, Substitutions& values,
                       FunctionRef<bool(FusionGroup& group, const Index& index)> fits);

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/fuse/axes.ipp>
#endif
