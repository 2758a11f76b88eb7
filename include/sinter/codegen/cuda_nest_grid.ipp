#pragma once

// The loop over what the blocks and threads of a launch do, where in the grid each of them is, and
// what they add to memory in which they may meet.

#include <algorithm>  // std::max

#include <sinter/codegen/cuda_additions.hpp>
#include <sinter/codegen/cuda_nest.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/proof.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE void CudaNest::write_grid(const Extent& tasks) {
  out_.line(text("const ", integer_, " tasks = ", c(tasks), ";"));
  const int rows = by_rows_ ? share_.rows : 1;
  std::string first = "blockIdx.x", step = "gridDim.x", name = "task";
  if (layout_.kernel.serial) {
    first = "0", step = "1";
  } else if (shares_columns()) {
    name = "column";
    first = text(first, " * ", block_.columns), step += text(" * ", block_.columns);
  } else if (!by_rows_ && !in_tiles()) {
    first = text("(", integer_, ")blockIdx.x * blockDim.x + threadIdx.x");
    step = text("(", integer_, ")gridDim.x * blockDim.x");
  } else if (rows > 1) {
    const std::string row = share_.threads > 1 ? text(" / ", share_.threads) : "";
    first += text(" * ", rows, " + threadIdx.x", row), step += text(" * ", rows);
  }
  const std::string next = step == "1" ? "++" + name : text(name, " += ", step);
  const auto loop = out_.block(
      text("for (", integer_, " ", name, " = ", first, "; ", name, " < tasks; ", next, ")"));
  if (shares_columns()) write_own_column();
  write_position();
  in_tiles() ? write_tile_task(integer_) : write_tile(0);
  if (combines()) return;
  write_row_end();
}

// What the threads of a block share is free again.
SINTER_INLINE void CudaNest::write_row_end() {
  const bool alone = by_rows_ && share_.rows == 1 && (share_.threads > 32 || !same(row_bytes_, 0));
  if (alone || shares_columns()) out_.line("__syncthreads();");
}

// Of the columns of a block, that of this thread; threads without one take part with the last.
SINTER_INLINE void CudaNest::write_own_column() {
  const std::string own = text("column + threadIdx.x % ", block_.columns);
  if (all_live_) return out_.line(text("const ", integer_, " task = ", own, ";"));
  out_.line(text("const bool live = ", own, " < tasks;"));
  out_.line(text("const ", integer_, " task = live ? ", own, " : tasks - 1;"));
}

// The loop variables of a task.
SINTER_INLINE void CudaNest::write_position() {
  Extent inner = 1;
  for (int position = (combines() ? 1 : layout_.grid_depth()) - 1; position >= 0; --position) {
    const Extent steps = steps_of(position);
    std::string value = same(inner, 1) ? "task" : text("task / ", c(inner));
    if (position > 0) value += text(" % ", c(steps));
    const int unroll = unroll_of(position);
    if (unroll > 1) value = text("(", value, ") * ", unroll);
    const std::string name = loop_name(0, position);
    if (is_tiled(position)) {
      out_.line(text("const ", integer_, " first", position, " = ", value, ";"));
      inner *= steps;
      continue;
    }
    if (restarts(position)) {
      out_.line(text("const ", integer_, " first", position, " = ", value, ";"));
      value = text("first", position);
    }
    out_.line(text(unroll > 1 ? "" : "const ", integer_, " ", name, " = ", value, ";"));
    inner *= steps;
  }
}

// Whether what is left of a tile at `position` is run for each of what is left of one around it.
SINTER_INLINE bool CudaNest::restarts(int position) const {
  const auto leaves_rest = [&](int at) {
    const int unroll = unroll_of(at);
    const Extent extent = layout_.grid[static_cast<std::size_t>(at)].extent;
    return unroll > 1 && !proven_divisible(extent, unroll);
  };
  bool inside = false;
  for (int outer = 0; outer < position; ++outer) inside = inside || leaves_rest(outer);
  return inside && leaves_rest(position);
}

SINTER_INLINE void CudaNest::write_chunk_meeting() {
  if (share_.threads > 1) write_meeting();
}

// The points of a chunk one after another, and what they are combined to.
SINTER_INLINE void CudaNest::write_chunk() {
  write_chunk_begin(integer_);
  write_chunk_meeting();
  write_in_order(1);
  write_chunk_meeting();
  write_chunk_end(integer_);
  write_chunk_meeting();
}

SINTER_INLINE void CudaNest::write_in_order(int position) {
  if (position == layout_.grid_depth()) {
    write_stages();
    return write_row_end();
  }
  const std::string name = loop_name(0, position);
  const Extent extent = layout_.grid[static_cast<std::size_t>(position)].extent;
  const auto loop = out_.block(
      text("for (", integer_, " ", name, " = 0; ", name, " < ", c(extent), "; ++", name, ")"));
  frames_.push_back({name, 1, 1});
  if (position + 1 < layout_.grid_depth()) write_depth(position + 1, -1);
  write_in_order(position + 1);
  frames_.pop_back();
}

SINTER_INLINE void CudaNest::write_tile(int position) {
  if (position == 1 && combines()) return write_chunk();
  if (position == layout_.grid_depth()) return write_stages();
  const int unroll = unroll_of(position);
  if (unroll == 1) return write_open(position, 1);
  const Extent extent = layout_.grid[static_cast<std::size_t>(position)].extent;
  const std::string name = loop_name(0, position), end = c(extent);
  if (proven_divisible(extent, unroll)) return write_open(position, unroll);
  const bool whole = bounds(extent).max >= unroll;
  if (whole) {
    const auto block = out_.block(text("if (", name, " + ", unroll, " <= ", end, ")"));
    write_open(position, unroll);
  }
  const std::string start = restarts(position) ? text(name, " = first", position) : "";
  const auto part = out_.block(
      text(whole ? "else for (" : "for (", start, "; ", name, " < ", end, "; ++", name, ")"));
  write_open(position, 1);
}

SINTER_INLINE void CudaNest::write_open(int position, int unroll) {
  frames_.push_back({loop_name(0, position), unroll, 1});
  if (position + 1 < layout_.grid_depth()) write_depth(position + 1, -1);
  write_tile(position + 1);
  frames_.pop_back();
}

// Whether `id` adds to an element that other points of the grid may add to as well.
SINTER_INLINE bool CudaNest::meets_others(ValueId id) const {
  const std::vector<Loop>& loops = layout_.stages[static_cast<std::size_t>(dependence(id).stage)];
  return loops.empty() && !layout_.kernel.serial && adds_at_once(at(id), strict_);
}

// "atomic_add_f32(&out2[v3], v4);"
SINTER_INLINE void CudaNest::write_addition(ValueId id, const Instance& instance) {
  const std::string guard = condition(id, instance), to = element(id, instance);
  const std::string value = operand(at(id).operands[0], instance, false);
  out_.line(text(guard.empty() ? "" : text("if (", guard, ") "), "atomic_add_", at(id).dtype, "(&",
                 to, ", ", value, ");"),
            at(id).remark);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
