#pragma once

#include <sinter/base/container/vector.hpp>
#include <sinter/schedule/tile/scratch.hpp>
#include <sinter/schedule/tile/subkernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

/// The live range of a local argument: its first and last stage and subkernel. Scratch memory that
/// was added between subkernels has none.
struct LiveRange {
  std::int32_t first_subkernel = -1, last_subkernel = -1, first_stage = -1, last_stage = -1;
};

SINTER_INLINE Vector<LiveRange> live_ranges_of(const Kernel& whole,
                                               const Vector<std::int32_t>& subkernel_of) {
  Vector<LiveRange> result(whole.arguments.size());
  for (std::size_t stage = 0; stage < whole.stages.size(); ++stage) {
    for (const ValueId id : whole.stages[stage].body) {
      const std::int32_t argument = whole.instructions[id].argument;
      if (argument < 0) continue;
      LiveRange& range = result[argument];
      const std::int32_t subkernel = subkernel_of[id];
      if (range.first_subkernel < 0) {
        range.first_subkernel = subkernel;
        range.first_stage = static_cast<std::int32_t>(stage);
      }
      range.last_subkernel = subkernel;
      range.last_stage = static_cast<std::int32_t>(stage);
    }
  }
  return result;
}

// For each subkernel, whether it contracts: it runs for all rows of the tile before the next one
// starts.
SINTER_INLINE Vector<bool> contracts_of(const Kernel& whole,
                                        const Vector<std::int32_t>& subkernel_of) {
  Vector<bool> result;
  for (const Stage& stage : whole.stages) {
    for (const ValueId id : stage.body) {
      const auto subkernel = static_cast<std::size_t>(subkernel_of[id]);
      if (subkernel >= result.size()) result.resize(subkernel + 1, false);
      if (!stage.contracted.empty()) result[subkernel] = true;
    }
  }
  return result;
}

}  // namespace detail

SINTER_INLINE void place_scratch(const Kernel& whole, const Vector<std::int32_t>& subkernel_of,
                                 Subkernels& subkernels) {
  const Vector<detail::LiveRange> live_ranges = detail::live_ranges_of(whole, subkernel_of);
  const Vector<bool> contracts = detail::contracts_of(whole, subkernel_of);
  Vector<detail::LiveRange> occupant(subkernels.arguments.size());  // the last one in each memory
  subkernels.is_private.assign(subkernels.arguments.size(), false);
  for (std::size_t i = 0; i < subkernels.arguments.size(); ++i) {
    subkernels.storage.push_back(static_cast<std::int32_t>(i));
    const bool local = subkernels.arguments[i].access == Access::local;
    if (!local || i >= live_ranges.size() || live_ranges[i].first_subkernel < 0) continue;
    const detail::LiveRange& range = live_ranges[i];
    const auto subkernel = static_cast<std::size_t>(range.first_subkernel);
    subkernels.is_private[i] =
        range.first_subkernel == range.last_subkernel && !contracts[subkernel];
    occupant[i] = range;
    for (std::size_t owner = 0; owner < i && !subkernels.is_private[i]; ++owner) {
      const Argument& other = subkernels.arguments[owner];
      const bool fits =
          occupant[owner].first_subkernel >= 0 && other.dtype == subkernels.arguments[i].dtype &&
          same(other.elements, subkernels.arguments[i].elements) && !subkernels.is_private[owner] &&
          subkernels.storage[owner] == static_cast<std::int32_t>(owner);
      const bool over = occupant[owner].last_subkernel < range.first_subkernel ||
                        (occupant[owner].last_subkernel == range.first_subkernel &&
                         !contracts[subkernel] && occupant[owner].last_stage < range.first_stage);
      if (!fits || !over) continue;
      subkernels.storage[i] = static_cast<std::int32_t>(owner);
      occupant[owner] = range;
      break;
    }
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
