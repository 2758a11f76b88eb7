#pragma once

#include <bit>      // std::countr_zero, std::has_single_bit
#include <utility>  // std::move

#include <sinter/schedule/fuse/axes.hpp>
#include <sinter/schedule/loop/factor.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

SINTER_INLINE Coverage::Coverage(const FusionGroup& group, const Index& index, std::uint32_t axes) {
  for (int axis = 0; axis < index.size(); ++axis) {
    for (int i = 0; i < group.space.size(); ++i) {
      if (group.ranges[i].is_number()) continue;
      if (!depends_on(index[axis], group.ranges[i])) continue;
      ((axes >> axis & 1) != 0 ? reduced : kept) |= 1u << i;
    }
  }
}

SINTER_INLINE std::uint32_t looped_axes(const FusionGroup& group) {
  std::uint32_t result = 0;
  for (int i = 0; i < group.space.size(); ++i) {
    if (!group.ranges[i].is_number()) result |= 1u << i;
  }
  return result;
}

SINTER_INLINE std::uint32_t first_looped_axis(const FusionGroup& group) {
  const std::uint32_t all = looped_axes(group);
  return all & ~(all - 1);
}

SINTER_INLINE std::uint32_t trailing_axes(std::uint32_t all, std::uint32_t set) {
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

SINTER_INLINE std::vector<Extent> axis_divisors(const FusionGroup& group, int axis,
                                                const Index& index) {
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

SINTER_INLINE FusionGroup split_axis(const FusionGroup& group, int axis, Extent extent,
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

SINTER_INLINE bool split_shared_axis(
    FusionGroup& group, Index& index, std::uint32_t axes, Substitutions& values,
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
