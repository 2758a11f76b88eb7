#pragma once

#include <sinter/schedule/tile/scratch.hpp>
#include <sinter/schedule/tile/subkernels.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

/// When a local is used: stages and parts, first and last; those of scratch that parts hand on are
/// not known here.
struct Life {
  std::int32_t first_part = -1, last_part = -1, first_stage = -1, last_stage = -1;
};

SINTER_INLINE std::vector<Life> lives_of(const Kernel& whole,
                                         const std::vector<std::int32_t>& part_of) {
  std::vector<Life> result(whole.arguments.size());
  for (std::size_t stage = 0; stage < whole.stages.size(); ++stage) {
    for (const ValueId id : whole.stages[stage].body) {
      const std::int32_t argument = whole.instructions[static_cast<std::size_t>(id)].argument;
      if (argument < 0) continue;
      Life& life = result[static_cast<std::size_t>(argument)];
      const std::int32_t part = part_of[static_cast<std::size_t>(id)];
      if (life.first_part < 0) {
        life.first_part = part;
        life.first_stage = static_cast<std::int32_t>(stage);
      }
      life.last_part = part;
      life.last_stage = static_cast<std::int32_t>(stage);
    }
  }
  return result;
}

// Whether the stages of `part` contract: for all rows of the block before the next one.
SINTER_INLINE std::vector<bool> contracting(const Kernel& whole,
                                            const std::vector<std::int32_t>& part_of) {
  std::vector<bool> result;
  for (const Stage& stage : whole.stages) {
    for (const ValueId id : stage.body) {
      const auto part = static_cast<std::size_t>(part_of[static_cast<std::size_t>(id)]);
      if (part >= result.size()) result.resize(part + 1, false);
      if (!stage.contracted.empty()) result[part] = true;
    }
  }
  return result;
}

}  // namespace detail

SINTER_INLINE void place_locals(const Kernel& whole, const std::vector<std::int32_t>& part_of,
                                BlockParts& parts) {
  const std::vector<detail::Life> lives = detail::lives_of(whole, part_of);
  const std::vector<bool> contracts = detail::contracting(whole, part_of);
  std::vector<detail::Life> kept(parts.arguments.size());  // the last that lies in each memory
  parts.single.assign(parts.arguments.size(), false);
  for (std::size_t i = 0; i < parts.arguments.size(); ++i) {
    parts.homes.push_back(static_cast<std::int32_t>(i));
    const bool local = parts.arguments[i].access == Access::local;
    if (!local || i >= lives.size() || lives[i].first_part < 0) continue;
    const detail::Life& life = lives[i];
    const auto part = static_cast<std::size_t>(life.first_part);
    parts.single[i] = life.first_part == life.last_part && !contracts[part];
    kept[i] = life;
    for (std::size_t home = 0; home < i && !parts.single[i]; ++home) {
      const Argument& other = parts.arguments[home];
      const bool fits = kept[home].first_part >= 0 && other.dtype == parts.arguments[i].dtype &&
                        same(other.elements, parts.arguments[i].elements) && !parts.single[home] &&
                        parts.homes[home] == static_cast<std::int32_t>(home);
      const bool over = kept[home].last_part < life.first_part ||
                        (kept[home].last_part == life.first_part && !contracts[part] &&
                         kept[home].last_stage < life.first_stage);
      if (!fits || !over) continue;
      parts.homes[i] = static_cast<std::int32_t>(home);
      kept[home] = life;
      break;
    }
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
