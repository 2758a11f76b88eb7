#pragma once

#include <algorithm>  // std::max, std::min
#include <cstddef>    // std::size_t
#include <cstdint>    // std::int64_t
#include <cstdlib>    // std::abs
#include <limits>     // std::numeric_limits

#include <sinter/base/container/algorithm.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/schedule/loop/window_lines.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/proof.hpp>
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
      const Instruction& instruction = kernel.instructions[id];
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
    const Instruction& instruction = kernel.instructions[id];
    return instruction.code == Code::load && has_step(instruction.index, loop);
  });
}

// Whether elements at neighbouring values of `variable` are at most `most` apart.
SINTER_INLINE bool is_near(Extent index, Extent variable, std::int64_t most) {
  const auto stride = coefficient_of(index, variable);
  return stride && stride->is_number() && stride->number() >= 0 && stride->number() <= most;
}

// True if rows are short and close together, as those of windows are.
SINTER_INLINE bool are_windows(const Kernel& kernel, const Stage& rows, const Loop& columns,
                               const LoopLimits& limits) {
  if (bounds(rows.loops.back().extent).max >= limits.short_row) return false;
  if (bounds(columns.extent).max < limits.window_columns) return false;
  return all_of(rows.body, [&](ValueId id) {
    const Instruction& one = kernel.instructions[id];
    return !accesses(one) || is_near(one.index, columns.variable, limits.near_columns);
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

// The product that `kernel` sums, if that is its only reduction; else null.
SINTER_INLINE const Instruction* summed_product(const Kernel& kernel) {
  const Instruction* result = nullptr;
  for (const Instruction& one : kernel.instructions) {
    if (one.code == Code::scan || one.code == Code::sort || one.code == Code::combine) return {};
    if (one.code != Code::reduce) continue;
    if (one.op != Op::sum || result != nullptr) return nullptr;
    result = &kernel.instructions[one.operands[0]];
  }
  const bool multiplies =
      result != nullptr && result->code == Code::compute && result->op == Op::mul;
  return multiplies ? result : nullptr;
}

// Of the two sets of grid loops that only one factor of `product` depends on, the smaller one.
SINTER_INLINE Vector<std::size_t> row_loops(const Kernel& kernel, const Instruction& product) {
  Vector<std::size_t> own[2];
  Extent points[2]{1, 1};
  for (std::size_t i = 0; i < kernel.grid.size(); ++i) {
    const Loop& loop = kernel.grid[i];
    if (loop.variable.is_number()) continue;
    const bool in_left = varies_along(kernel, product.operands[0], loop.variable);
    const bool in_right = varies_along(kernel, product.operands[1], loop.variable);
    if (in_left == in_right) continue;
    own[in_left ? 0 : 1].push_back(i);
    points[in_left ? 0 : 1] *= loop.extent;
  }
  return own[bounds(points[0]).max < bounds(points[1]).max ? 0 : 1];
}

// Whether the columns are the elements of a short window, which moves along long rows.
SINTER_INLINE bool are_window_elements(const Kernel& kernel, const Stage& rows, const Loop& columns,
                                       const LoopLimits& limits) {
  const std::int64_t wide = bounds(columns.extent).max, row = bounds(rows.loops.back().extent).max;
  if (wide >= limits.short_row || row < limits.window_columns) return false;
  if (wide >= limits.window_columns && wide >= row) return false;  // as many fill a vector
  return all_of(rows.body, [&](ValueId id) {
    const Instruction& one = kernel.instructions[id];
    return !accesses(one) || (is_near(one.index, rows.loops.back().variable, limits.near_columns) &&
                              is_near(one.index, columns.variable, limits.short_row));
  });
}

// Whether the rows along `row` of neighbouring columns overlap, as windows do whose step is less
// than their size. Columns of a matrix alternate: they do not.
SINTER_INLINE bool do_rows_overlap(const Kernel& kernel, const Stage& rows, const Loop& row,
                                   const Loop& columns) {
  return any_of(rows.body, [&](ValueId id) {
    const Instruction& one = kernel.instructions[id];
    const auto step = coefficient_of(one.index, row.variable);
    const auto next = coefficient_of(one.index, columns.variable);
    if (one.code != Code::load || !step || !next || !step->is_number() || !next->is_number())
      return false;
    const std::int64_t distance = std::abs(step->number());
    const std::int64_t reach = bounds(row.extent * distance).max;
    const std::int64_t width = bounds((columns.extent - 1) * *next).max;
    return distance > 0 && next->number() > 0 && next->number() < reach && width >= distance;
  });
}

// Unrolls the window, so that its sums stay in registers while it moves.
SINTER_INLINE void unroll_window(Kernel& kernel, const LoopLimits& limits) {
  std::int64_t sums = 1;
  for (std::size_t i = kernel.grid.size(); i-- > 0;) {
    Loop& loop = kernel.grid[i];
    if (!loop.extent.is_number() || loop.extent.number() >= limits.short_row) return;
    sums *= loop.extent.number();
    if (sums > limits.window_sums) return;
    loop.unroll = static_cast<int>(loop.extent.number());
  }
}

// A sum over windows: `rows` rows of the other factor, at `lines` lines of `columns` windows.
struct WindowSum {
  std::int64_t rows = 1, lines = 1, columns = 1;
  std::int64_t lines_of_window = 1;  // if windows below each other share lines
};

// Its register tile: windows below each other, and vectors of windows.
struct WindowTile {
  int windows = 1, vectors = 1;
};

// Half cycles for one column of the windows of `tile`. Two multiply-adds and two loads start in a
// cycle. Half of the vectors cross a cache line, and take two loads. A multiply-add starts 4 cycles
// after the previous one of the same sum.
SINTER_INLINE std::int64_t half_cycles(const WindowSum& sum, const WindowTile& tile) {
  const std::int64_t vectors = sum.lines_of_window * tile.windows * tile.vectors;
  const std::int64_t loads = vectors * 3 / 2 + sum.rows * sum.lines_of_window;
  return std::max({sum.rows * vectors, loads, 8 * sum.lines_of_window});
}

// The same for all windows.
SINTER_INLINE std::int64_t half_cycles(const WindowSum& sum, const WindowTile& tile,
                                       std::int64_t lanes) {
  const std::int64_t vectors = (sum.columns + lanes - 1) / lanes;
  const std::int64_t whole = sum.columns / lanes / tile.vectors;  // tiles along a line
  const auto line = [&](int windows) {
    return whole * half_cycles(sum, {windows, tile.vectors}) +
           (vectors - whole * tile.vectors) * half_cycles(sum, {windows, 1});
  };
  return sum.lines / tile.windows * line(tile.windows) + sum.lines % tile.windows * line(1);
}

SINTER_INLINE WindowTile choose_tile(const WindowSum& sum, const LoopLimits& limits) {
  WindowTile best;
  for (WindowTile tile; tile.windows <= sum.lines; ++tile.windows) {
    for (tile.vectors = 1; sum.rows * tile.windows * tile.vectors <= limits.window_sums;
         ++tile.vectors) {
      const bool is_better =
          half_cycles(sum, tile, limits.short_row) < half_cycles(sum, best, limits.short_row);
      if (is_better) best = tile;
    }
    if (tile.vectors == 1) break;
  }
  return best;
}

// Unrolls the rows that share a window, the vectors of windows, and windows below each other if
// these have lines in common: other lines are staged one by one.
SINTER_INLINE void unroll_rows(Kernel& kernel, const LoopLimits& limits) {
  const auto extent_or = [](const Loop& loop, std::int64_t unknown) {
    return loop.extent.is_number() ? loop.extent.number() : unknown;
  };
  WindowSum sum;
  for (const std::size_t at : row_loops(kernel, *summed_product(kernel))) {
    Loop& loop = kernel.grid[at];
    loop.unroll = static_cast<int>(loop.extent.number());
    sum.rows *= loop.unroll;
  }
  Loop& columns = kernel.grid.back();
  sum.columns = extent_or(columns, limits.window_sums * limits.short_row);
  Loop* const windows = kernel.grid.size() > 1 ? &kernel.grid[kernel.grid.size() - 2] : nullptr;
  const Loop* const lines = windows == nullptr ? nullptr : shared_lines(kernel, *windows);
  if (lines != nullptr) {
    sum.lines = extent_or(*windows, limits.window_sums);
    sum.lines_of_window = lines->extent.number();
  }
  const WindowTile tile = choose_tile(sum, limits);
  columns.unroll = tile.vectors;
  if (lines != nullptr) windows->unroll = tile.windows;
}

}  // namespace detail

SINTER_INLINE bool is_window_sum(const Kernel& kernel, const LoopLimits& limits) {
  const Instruction* const product = detail::summed_product(kernel);
  const Stage* const stage = loop_stage(kernel);
  if (limits.most_window_rows == 0 || product == nullptr || stage == nullptr) return false;
  if (kernel.grid.empty() || is_row_tiled(kernel)) return false;
  Extent rows = 1;
  for (const std::size_t at : detail::row_loops(kernel, *product)) rows *= kernel.grid[at].extent;
  if (!rows.is_number() || rows.number() < 1 || rows.number() > limits.most_window_rows)
    return false;
  if (!detail::do_rows_overlap(kernel, *stage, stage->loops.back(), kernel.grid.back()))
    return false;
  return detail::are_windows(kernel, *stage, kernel.grid.back(), limits) ||
         detail::are_window_elements(kernel, *stage, kernel.grid.back(), limits);
}

SINTER_INLINE bool reads_windows(const Kernel& kernel) {
  const Stage* const stage = loop_stage(kernel);
  const Instruction* const product = detail::summed_product(kernel);
  if (product == nullptr || stage == nullptr) return false;
  if (product->dtype != f32 && product->dtype != f64) return false;
  return any_of(kernel.grid, [&](const Loop& point) {
    return any_of(stage->loops, [&](const Loop& row) {
      return point.extent.is_number() && row.extent.is_number() &&
             detail::do_rows_overlap(kernel, *stage, row, point);
    });
  });
}

namespace detail {

// Whether the last loop of the grid is as short as interleave_columns() looks for.
SINTER_INLINE bool has_short_columns(const Kernel& kernel, const LoopLimits& limits) {
  return kernel.grid.size() >= 2 && same(kernel.grid.back().extent, limits.interleaved_columns) &&
         kernel.grid.back().unroll == 1;
}

}  // namespace detail

SINTER_INLINE void interleave_columns(Kernel& kernel, const LoopLimits& limits) {
  if (!detail::has_short_columns(kernel, limits) || is_row_tiled(kernel)) return;
  if (has(kernel, Code::combine)) return;
  const Loop inner = kernel.grid.back();
  const auto is_outer = [&](const Loop& loop) {
    return bounds(loop.extent).max >= limits.window_columns &&
           all_of(kernel.instructions, [&](const Instruction& one) {
             if (one.code == Code::sort || can_fault(one)) return false;
             if (one.code != Code::store) return true;
             return has_step(one.index, loop.variable, inner.extent) &&
                    has_step(one.index, inner.variable);
           });
  };
  const auto outer = find_if(kernel.grid, is_outer);
  if (outer == kernel.grid.end()) return;
  const Vector<Loop> before = kernel.grid;
  const Loop columns = *outer;
  kernel.grid.erase(outer);
  kernel.grid.back().unroll = static_cast<int>(inner.extent.number());
  kernel.grid.push_back(columns);
  const bool is_product = detail::summed_product(kernel) != nullptr;
  if (is_product && !is_window_sum(kernel, limits)) kernel.grid = before;
}

SINTER_INLINE bool will_sum_windows(const Kernel& kernel, const LoopLimits& limits) {
  if (limits.most_window_rows == 0) return false;
  if (!detail::has_short_columns(kernel, limits)) return is_window_sum(kernel, limits);
  Kernel interleaved = kernel;
  interleave_columns(interleaved, limits);
  return is_window_sum(interleaved, limits);
}

SINTER_INLINE void narrow_positions(Kernel& kernel) {
  if (is_row_tiled(kernel)) return;
  Extent elements = 1;
  if (const Stage* const rows = loop_stage(kernel)) {
    for (const Loop& loop : rows->loops) elements *= loop.extent;
  }
  if (bounds(elements).max > std::numeric_limits<std::int32_t>::max()) return;
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    Instruction& position = kernel.instructions[i];
    if (position.code != Code::reduce || position.op != Op::argmax) continue;
    const ValueId operand = position.operands[0];
    if (!is_floating(kernel.instructions[operand].dtype)) continue;
    const bool is_cast = all_of(kernel.instructions, [&](const Instruction& reader) {
      if (!contains(reader.operands, static_cast<ValueId>(i))) return true;
      return reader.code == Code::compute && reader.op == Op::cast && is_integer(reader.dtype) &&
             info(reader.dtype).size <= info(i32).size;
    });
    if (is_cast) position.dtype = i32;
  }
}

SINTER_INLINE const Stage* loop_stage(const Kernel& kernel) {
  for (const Stage& stage : kernel.stages) {
    if (!stage.loops.empty()) return &stage;
  }
  return nullptr;
}

SINTER_INLINE void vectorize(Kernel& kernel, bool is_product, const LoopLimits& limits) {
  kernel.sums_windows = is_window_sum(kernel, limits);
  if (kernel.sums_windows) {
    const Loop& columns = kernel.grid.back();
    const bool along = detail::are_window_elements(kernel, *loop_stage(kernel), columns, limits);
    kernel.vector_axis = along ? VectorAxis::stage : VectorAxis::grid;
    along ? detail::unroll_window(kernel, limits) : detail::unroll_rows(kernel, limits);
    return;
  }
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
