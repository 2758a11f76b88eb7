#pragma once

#include <cstddef>    // std::size_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

SINTER_INLINE bool accesses(const Instruction& instruction) {
  return instruction.code == Code::load || instruction.code == Code::store;
}

// The number of contiguous accesses along `loop` in stages with loops, minus the number of strided
// ones.
SINTER_INLINE int contiguity(const Kernel& kernel, Extent loop) {
  int result = 0;
  for (const Stage& stage : kernel.stages) {
    if (stage.loops.empty()) continue;
    for (const ValueId id : stage.body) {
      const Instruction& instruction = kernel.instructions[static_cast<std::size_t>(id)];
      if (!accesses(instruction)) continue;
      const auto stride = coefficient_of(instruction.index, loop);
      if (stride && same(*stride, 0)) continue;
      result += stride && same(*stride, 1) ? 1 : -1;
    }
  }
  return result;
}

SINTER_INLINE bool any_contiguous(const Kernel& kernel, const Stage& stage, Extent loop) {
  return any_of(stage.body, [&](ValueId id) {
    const Instruction& instruction = kernel.instructions[static_cast<std::size_t>(id)];
    if (instruction.code != Code::load) return false;
    const auto stride = coefficient_of(instruction.index, loop);
    return stride && same(*stride, 1);
  });
}

SINTER_INLINE bool has_local(const Kernel& kernel) {
  return any_of(kernel.arguments,
                [](const Argument& argument) { return argument.access == Access::local; });
}

// True if rows are short and close together, as those of windows are.
SINTER_INLINE bool are_windows(const Kernel& kernel, const Stage& rows, const Loop& columns,
                               const LoopLimits& limits) {
  if (bounds(rows.loops.back().extent).max >= limits.short_row) return false;
  if (bounds(columns.extent).max < limits.short_row) return false;
  return all_of(rows.body, [&](ValueId id) {
    const Instruction& one = kernel.instructions[static_cast<std::size_t>(id)];
    if (!accesses(one)) return true;
    const auto stride = coefficient_of(one.index, columns.variable);
    return stride && stride->is_number() && stride->number() >= 0 &&
           stride->number() <= limits.near_columns;
  });
}

SINTER_INLINE VectorAxis vector_axis(const Kernel& kernel, bool is_product,
                                     const LoopLimits& limits) {
  const Stage* rows = loop_stage(kernel);
  if (has(kernel, Code::sort)) return VectorAxis::none;
  if (is_row_tiled(kernel)) return VectorAxis::stage;
  if (has(kernel, Code::combine)) return rows ? VectorAxis::stage : VectorAxis::none;
  if (rows == nullptr) return kernel.grid.empty() ? VectorAxis::none : VectorAxis::grid;
  const bool runs = has(kernel, Code::scan);  // its steps depend on each other
  const VectorAxis along = runs ? VectorAxis::none : VectorAxis::stage;
  if (kernel.grid.empty() || has_local(kernel)) return along;
  const Extent column = kernel.grid.back().variable, row = rows->loops.back().variable;
  if (is_product) {
    return any_contiguous(kernel, *rows, column) ? VectorAxis::grid : VectorAxis::stage;
  }
  const bool columns = contiguity(kernel, column) > contiguity(kernel, row);
  const bool windows = !runs && are_windows(kernel, *rows, kernel.grid.back(), limits);
  return columns || windows ? VectorAxis::grid : along;
}

// `wanted`, halved until it is not larger than the extent.
SINTER_INLINE int clipped(int wanted, Extent extent) {
  const std::int64_t most = bounds(extent).max;
  while (wanted > 1 && wanted > most) wanted /= 2;
  return wanted;
}

}  // namespace detail

SINTER_INLINE const Stage* loop_stage(const Kernel& kernel) {
  for (const Stage& stage : kernel.stages) {
    if (!stage.loops.empty()) return &stage;
  }
  return nullptr;
}

SINTER_INLINE void vectorize(Kernel& kernel, bool is_product, const LoopLimits& limits) {
  kernel.vector_axis = detail::vector_axis(kernel, is_product, limits);
  if (!is_product || kernel.grid.empty()) return;
  Loop& last = kernel.grid.back();
  last.unroll = kernel.vector_axis == VectorAxis::grid
                    ? limits.product_vectors
                    : detail::clipped(limits.product_unroll, last.extent);
  if (kernel.grid.size() < 2) return;
  Loop& next = kernel.grid[kernel.grid.size() - 2];
  next.unroll = detail::clipped(limits.product_unroll, next.extent);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
