#pragma once

#include <cstdint>  // std::int32_t

#include <sinter/schedule/launch/in_place_updates.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

SINTER_INLINE bool may_write_in_place(const LoweredKernel& lowered, NodeId input, NodeId output) {
  const std::int32_t from = argument_of(lowered, input), to = argument_of(lowered, output);
  if (from < 0) return true;
  Extent written = 0;
  bool stored = false;
  if (has(lowered.kernel, Code::sort)) return false;
  for (const Instruction& instruction : lowered.kernel.instructions) {
    if (instruction.code != Code::store || instruction.argument != to) continue;
    if (stored || instruction.accumulate) return false;
    written = instruction.index;
    stored = true;
  }
  stored = false;
  for (const Instruction& instruction : lowered.kernel.instructions) {
    stored |= instruction.code == Code::store && instruction.argument == to;
    if (instruction.code != Code::load || instruction.argument != from) continue;
    if (stored || !same(instruction.index, written)) return false;
  }
  return true;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail
