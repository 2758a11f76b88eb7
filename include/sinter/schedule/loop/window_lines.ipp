#pragma once

#include <cstddef>  // std::size_t
#include <utility>  // std::swap

#include <sinter/base/container/algorithm.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/schedule/loop/window_lines.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

SINTER_INLINE bool share_lines(const Kernel& kernel, const Stage& stage, const Loop& windows,
                               const Loop& lines) {
  if (!lines.extent.is_number()) return false;
  return any_of(stage.body, [&](ValueId id) {
    const Instruction& one = kernel.instructions[id];
    if (one.code != Code::load) return false;
    const auto apart = coefficient_of(one.index, windows.variable);
    const auto line = coefficient_of(one.index, lines.variable);
    if (!apart || !line || !apart->is_number() || !line->is_number()) return false;
    return apart->number() > 0 && line->number() > 0 && apart->number() % line->number() == 0 &&
           apart->number() < line->number() * lines.extent.number();
  });
}

}  // namespace detail

SINTER_INLINE const Loop* shared_lines(const Kernel& kernel, const Loop& windows) {
  for (const Stage& stage : kernel.stages) {
    for (const Loop& loop : stage.loops) {
      if (detail::share_lines(kernel, stage, windows, loop)) return &loop;
    }
  }
  return nullptr;
}

SINTER_INLINE Kernel with_lines_inside(Kernel kernel) {
  if (!kernel.sums_windows || kernel.vector_axis != VectorAxis::grid) return kernel;
  if (kernel.grid.size() < 2) return kernel;
  const Loop& windows = kernel.grid[kernel.grid.size() - 2];
  const Loop* const lines = windows.unroll > 1 ? shared_lines(kernel, windows) : nullptr;
  if (lines == nullptr) return kernel;
  for (Stage& stage : kernel.stages) {
    for (Loop& loop : stage.loops) {
      if (&loop == lines) std::swap(loop, stage.loops.back());
    }
  }
  return kernel;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
