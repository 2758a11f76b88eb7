#pragma once
// Axes of a fusion group: which of them an index depends on, and splitting one of them in two.

#include <bit>      // std::countr_zero, std::has_single_bit
#include <cstdint>  // std::uint32_t
#include <utility>  // std::move
#include <vector>   // std::vector

#include <sinter/base/container/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/domain.hpp>
#include <sinter/schedule/loop/factor.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// The axes of a group that the reduced axes of an index depend on, and those that its kept axes
/// depend on.
struct Coverage {
  std::uint32_t reduced = 0, kept = 0;

  bool overlaps() const { return (reduced & kept) != 0; }

  Coverage(const FusionGroup& group, const Index& index, std::uint32_t axes) {
    for (int axis = 0; axis < index.size(); ++axis) {
      for (int i = 0; i < group.space.size(); ++i) {
        if (group.ranges[i].is_number()) continue;
        if (!depends_on(index[axis], group.ranges[i])) continue;
        ((axes >> axis & 1) != 0 ? reduced : kept) |= 1u << i;
      }
    }
  }
};

/// The axes of its operand that a reduction reduces.
inline std::uint32_t reduced_axes(const Node& reduction) {
  return mask_of(numbers(reduction, "axes"));
}

/// The axes of a group that have loops.
inline std::uint32_t looped_axes(const FusionGroup& group) {
  std::uint32_t result = 0;
  for (int i = 0; i < group.space.size(); ++i) {
    if (!group.ranges[i].is_number()) result |= 1u << i;
  }
  return result;
}

/// The first of them: the axis whose iterations are divided into chunks.
inline std::uint32_t first_looped_axis(const FusionGroup& group) {
  const std::uint32_t all = looped_axes(group);
  return all & ~(all - 1);
}

/// The longest run of last axes of `all` that are either all in `set` or all outside of it.
inline std::uint32_t trailing_axes(std::uint32_t all, std::uint32_t set) {
  std::uint32_t result = 0;
  int last = -1;
  for (int i = 31; i >= 0; --i) {
    if ((all >> i & 1) == 0) continue;
    const int inside = static_cast<int>(set >> i & 1);
    if (last >= 0 && inside != last) break;
    last = inside;
    result |= 1u << i;
  }
  return result;
}

/// The divisors of `axis` in the quotients and remainders of `index` that divide the extent of
/// `axis`.
inline std::vector<Extent> axis_divisors(const FusionGroup& group, int axis, const Index& index) {
  std::vector<Extent> result;
  for (const Extent at : index) {
    for_each_division(at, [&](Extent dividend, Extent divisor) {
      const bool fits = same(dividend, group.ranges[axis]) && !same(divisor, 1) &&
                        proven_divisible(group.space[axis], divisor);
      if (fits) result.push_back(divisor);
    });
  }
  return result;
}

/// `group` with `axis` split in two, the inner one of `extent`. Appends the new values of all
/// ranges to `values`.
inline FusionGroup split_axis(const FusionGroup& group, int axis, Extent extent,
                              Substitutions& values) {
  FusionGroup result = group;
  result.space = {};
  result.reduced = 0;
  for (int i = 0; i < group.space.size(); ++i) {
    const std::uint32_t reduced = group.reduced >> i & 1;
    result.reduced |= reduced << result.space.size();
    result.space.push_back(i == axis ? floor_div(group.space[i], extent) : group.space[i]);
    if (i != axis) continue;
    result.reduced |= reduced << result.space.size();
    result.space.push_back(extent);
  }
  result.ranges = ranges_over(result.space);
  for (int i = 0; i < group.space.size(); ++i) {
    if (group.ranges[i].is_number()) continue;
    const int at = i > axis ? i + 1 : i;
    const Extent inner = i == axis ? result.ranges[at + 1] : 0;
    values.emplace_back(group.ranges[i],
                        result.ranges[at] * (i == axis ? extent : Extent(1)) + inner);
  }
  return result;
}

/// If reduced and kept axes of `index` depend on the same axis of `group`, and on no other one
/// both: splits it where `fits` accepts the result and the index in it. False if it is not split;
/// else `values` has the new values of all ranges.
inline bool split_shared_axis(FusionGroup& group, Index& index, std::uint32_t axes,
                              Substitutions& values,
                              FunctionRef<bool(FusionGroup& group, const Index& index)> fits) {
  const Coverage found(group, index, axes);
  const std::uint32_t both = found.reduced & found.kept;
  if (!std::has_single_bit(both) || group.space.size() == max_rank) return false;
  const int axis = std::countr_zero(both);
  for (const Extent extent : axis_divisors(group, axis, index)) {
    values.clear();
    FusionGroup result = split_axis(group, axis, extent, values);
    const Index split_index = substituted(index, values);
    if (!fits(result, split_index)) continue;
    group = std::move(result);
    index = split_index;
    return true;
  }
  values.clear();
  return false;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
