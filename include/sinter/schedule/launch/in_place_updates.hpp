#pragma once
// In-place updates: which kernels may write the new value of an input into its memory.

#include <cstdint>  // std::int32_t

#include <sinter/config.hpp>
#include <sinter/schedule/lower/lowered_kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

/// Whether `lowered` may write `output`, the new value of `input`, into the memory of `input`: it
/// does not read `input`, or it stores `output` once, without adding to it, and loads only the
/// element of `input` that it stores next. A kernel that sorts may not. Other kernels that read
/// `input` are left to find_launch_order(). For temporaries see may_write_over(), which also
/// compares indices of different stages.
inline bool may_write_in_place(const LoweredKernel& lowered, NodeId input, NodeId output) {
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
