#pragma once
// Lays out a kernel before codegen writes it: its loops, and the loops that each value depends on.

#include <algorithm>  // std::max, std::min, std::rotate
#include <bit>        // std::bit_width
#include <cstdint>    // std::uint64_t
#include <utility>    // std::move
#include <vector>     // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

using schedule::Access;
using schedule::Code;
using schedule::Guard;
using schedule::Instruction;
using schedule::Kernel;
using schedule::Loop;
using schedule::ValueId;
using schedule::VectorAxis;

/// A set of loops by position: grid loops first, then the loops of the current stage.
using LoopSet = std::uint64_t;
constexpr LoopSet loop_at(int position) { return LoopSet{1} << position; }

/// What an instruction depends on, directly and through its operands.
struct Dependence {
  LoopSet loops = 0;
  int depth = 0;  ///< Loops that must be open; the value is hoisted out of deeper ones.
  int stage = 0;
  LoopSet base_loops = 0;  ///< Of its index with the innermost loop at 0: a row's first element.
  int base_depth = 0;
  bool has_base = false;  ///< Whether the row has a pointer of its own.
};

namespace detail {

inline int deepest(LoopSet loops) { return static_cast<int>(std::bit_width(loops)); }

}  // namespace detail

/// The extents that an instruction reads: its guards and its index, unless it is a check, whose
/// index only serves the report of a fault.
inline std::vector<Extent> extents_of(const Instruction& instruction) {
  std::vector<Extent> result;
  if (!schedule::can_fault(instruction)) result.push_back(instruction.index);
  for (const Guard& guard : instruction.guards) {
    for (const Extent extent : {guard.value, guard.low, guard.high}) result.push_back(extent);
  }
  return result;
}

/// True if it writes memory, or reads memory that this kernel writes: it must not move.
inline bool pinned(const Kernel& kernel, const Instruction& instruction) {
  if (instruction.code == Code::store || instruction.code == Code::sort) return true;
  if (instruction.code == Code::combine) return true;
  return instruction.code == Code::load &&
         kernel.arguments[instruction.argument].access != Access::read;
}

/// A kernel without its loops of one iteration.
///
/// With `pack`, a product whose right operand is contiguous along the summed axis is vectorised
/// over the last grid loop: the operand is packed into panels first, and the loops that do not
/// change a panel move inside the loop that does. In a kernel without inner loops, if a load is
/// contiguous along another loop than the vectorised one, that loop moves next to it and the two
/// are tiled.
struct Layout {
  /// Packs and tiles only where that pays, by `limits`.
  explicit Layout(const Kernel& kernel, bool pack = false, const schedule::CppLimits& limits = {});

  const Instruction& at(ValueId id) const { return kernel.instructions[id]; }
  const Dependence& dependence(ValueId id) const { return values[id]; }
  ValueId number_of(const Instruction& instruction) const {
    return static_cast<ValueId>(&instruction - kernel.instructions.data());
  }
  /// What `instruction` reads or writes.
  const schedule::Argument& argument(const Instruction& instruction) const {
    return kernel.arguments[instruction.argument];
  }

  int grid_depth() const { return static_cast<int>(grid.size()); }
  /// The number of loops around the instructions of `stage`.
  int depth(int stage) const { return grid_depth() + static_cast<int>(stages[stage].size()); }
  /// True if the grid is known to be empty: the code before its loops must not run either.
  bool is_empty() const {
    return any_of(grid, [](const Loop& loop) { return same(loop.extent, 0); });
  }
  /// The loop at `position` in `stage`.
  const Loop& loop(int stage, int position) const {
    if (position < grid_depth()) return grid[position];
    return stages[stage][position - grid_depth()];
  }
  /// The position of the vectorised loop of `stage`; -1 if there is none.
  int vector_loop(int stage) const {
    if (vector_grid) return vector_position;
    if (!vector_stages[stage]) return -1;
    return depth(stage) - 1;
  }
  /// The variable of that loop, which must exist.
  Extent vector_variable(int stage) const { return loop(stage, vector_loop(stage)).variable; }
  /// True if `instruction`, one of this kernel, reads a packed panel.
  bool is_packed(const Instruction& instruction) const {
    return contains(packed, number_of(instruction));
  }
  /// True if it reads a transposed tile.
  bool is_transposed(const Instruction& instruction) const {
    return contains(transposed, number_of(instruction));
  }
  /// The bind that defines `variable`; -1 if there is none.
  ValueId bind_of(Extent variable) const {
    for (const ValueId id : checks) {
      if (same(kernel.instructions[id].variable, variable)) return id;
    }
    return -1;
  }
  /// True if `extent` depends on the variable of a bind.
  bool has_bind(Extent extent) const {
    return any_of(variables(extent), [&](Extent variable) { return bind_of(variable) >= 0; });
  }
  /// The loops that `extent` depends on in `stage`.
  LoopSet loops_of(Extent extent, int stage) const {
    LoopSet result = 0;
    for (const Extent variable : variables(extent)) {
      for (int position = 0; position < depth(stage); ++position) {
        if (same(loop(stage, position).variable, variable)) result |= loop_at(position);
      }
      const ValueId bind = bind_of(variable);
      if (bind >= 0) result |= values[bind].loops;
    }
    return result;
  }
  /// How many loops must be open for `extent` in `stage`.
  int depth_of(Extent extent, int stage) const {
    int result = detail::deepest(loops_of(extent, stage));
    for (const Extent variable : variables(extent)) {
      const ValueId bind = bind_of(variable);
      if (bind >= 0) result = std::max(result, values[bind].depth);
    }
    return result;
  }

  const Kernel& kernel;
  Vector<Loop> grid{};
  Vector<Vector<Loop>> stages{};
  Vector<Dependence> values{};
  bool vector_grid = false;           ///< Whether a loop of `grid` is vectorised, ...
  int vector_position = -1;           ///< ... and its position.
  Vector<ValueId> packed{};           ///< The loads that read panels.
  Vector<ValueId> transposed{};       ///< The loads that read transposed tiles.
  Vector<bool> vector_stages{};       ///< Whether the last loop of each stage is vectorised.
  Vector<ValueId> checks{};           ///< In order; faults are numbered by their position here.
  Vector<std::int32_t> parameters{};  ///< The buffer of each argument; -1 for local ones.
};

namespace detail {

inline bool runs_once(const Loop& loop) { return loop.variable.is_number(); }

// Drops the loops of one iteration; true if the last loop stays.
inline bool keep_loops(const Vector<Loop>& all, Vector<Loop>& kept) {
  for (const Loop& loop : all) {
    if (!runs_once(loop)) kept.push_back(loop);
  }
  return !all.empty() && !runs_once(all.back());
}

inline void add_base(Layout& layout, const Instruction& instruction, Dependence& value) {
  const bool memory = instruction.code == Code::load || instruction.code == Code::store ||
                      instruction.code == Code::combine;
  if (!memory || value.depth == 0 || layout.is_packed(instruction)) return;
  if (layout.is_transposed(instruction)) {
    value.base_depth = layout.grid_depth() - 1;
    value.base_loops = loop_at(value.base_depth - 1);
    value.has_base = true;
    return;
  }
  if (layout.kernel.arguments[instruction.argument].access == Access::local) {
    return;
  }
  const Extent variable = layout.loop(value.stage, value.depth - 1).variable;
  const Extent base = without(instruction.index, variable);
  if (base.is_number() || !coefficient_of(instruction.index, variable)) return;
  value.base_loops = layout.loops_of(base, value.stage);
  value.base_depth = layout.depth_of(base, value.stage);
  value.has_base = value.base_depth < value.depth;
  const int vector = layout.vector_loop(value.stage);
  if (vector < 0 || (value.base_loops >> vector & 1) == 0) return;
  // Otherwise each lane has its own row.
  value.has_base =
      value.has_base && has_step(instruction.index, layout.loop(value.stage, vector).variable);
}

inline Dependence dependence(const Layout& layout, const Instruction& instruction, int stage) {
  Dependence result;
  result.stage = stage;
  for (const Extent extent : extents_of(instruction)) {
    result.loops |= layout.loops_of(extent, stage);
    result.depth = std::max(result.depth, layout.depth_of(extent, stage));
  }
  for (const ValueId operand : instruction.operands) {
    const Dependence& other = layout.values[operand];
    result.loops |= other.loops;
    result.depth = std::max(result.depth, other.depth);
  }
  const int grid = layout.grid_depth();
  const LoopSet outer = loop_at(grid) - 1;
  const int depth = layout.depth(stage);
  if (instruction.code == Code::reduce) {
    result.loops &= outer;
    result.depth = grid;
  } else if (instruction.code == Code::scan) {
    result.loops |= loop_at(depth) - loop_at(grid);
    result.depth = depth;
  } else if (pinned(layout.kernel, instruction)) {
    const bool row = instruction.argument >= 0 &&
                     layout.kernel.arguments[instruction.argument].access == Access::local;
    if (row) result.loops |= outer;
    const bool stores = instruction.code == Code::store || instruction.code == Code::combine;
    if (stores) result.loops |= loop_at(depth) - 1;
    result.depth = depth;
  }
  return result;
}

// The only stage with loops, if it has a single loop, which is vectorised, and the grid is a tiled
// one of enough rows; else -1.
inline int product_stage(const Layout& layout, std::int64_t fewest_rows) {
  bool tiles = false;
  int result = -1, count = 0;
  std::int64_t points = 1;
  for (std::size_t i = 0; i < layout.grid.size(); ++i) {
    tiles = tiles || layout.grid[i].unroll > 1;
    const std::int64_t most = bounds(layout.grid[i].extent).max;
    if (i + 1 < layout.grid.size())
      points = most == unbounded ? most : points * std::min<std::int64_t>(most, 64);
    if (points > 64) points = 64;
  }
  for (std::size_t i = 0; i < layout.stages.size(); ++i) {
    if (layout.stages[i].empty()) continue;
    result = static_cast<int>(i);
    count += static_cast<int>(layout.stages[i].size());
  }
  const bool rows = count == 1 && layout.vector_stages[result];
  return rows && tiles && points >= fewest_rows ? result : -1;
}

// True if `load` is contiguous along the summed axis, in the same way in all columns.
inline bool fits_panel(const Layout& layout, const Instruction& load, Extent column, Extent row) {
  const auto stride = coefficient_of(load.index, column);
  const auto& argument = layout.kernel.arguments[load.argument];
  if (!has_step(load.index, row) || !stride || !load.guards.empty()) return false;
  return argument.access == Access::read && !depends_on(*stride, row) &&
         !layout.has_bind(load.index);
}

inline void find_panels(Layout& layout, std::int64_t fewest_rows) {
  const int stage = product_stage(layout, fewest_rows);
  if (stage < 0 || schedule::has_local(layout.kernel)) return;
  const Loop column = layout.grid.back();
  const Extent row = layout.stages[stage][0].variable;
  Vector<ValueId> packed;
  std::size_t outer = 0;  // grid loops up to the last that changes the panels
  for (const ValueId id : layout.kernel.stages[stage].body) {
    const Instruction& load = layout.kernel.instructions[id];
    if (load.code != Code::load || !depends_on(load.index, column.variable)) continue;
    if (!fits_panel(layout, load, column.variable, row)) return;
    packed.push_back(id);
    for (std::size_t i = 0; i + 1 < layout.grid.size(); ++i) {
      if (depends_on(load.index, layout.grid[i].variable)) outer = i + 1;
    }
  }
  if (packed.empty() || outer + 1 >= layout.grid.size()) return;
  layout.packed = packed;
  layout.vector_grid = true;
  layout.vector_position = static_cast<int>(outer);
  layout.vector_stages.assign(layout.vector_stages.size(), false);
  layout.grid.pop_back();
  layout.grid.insert(layout.grid.begin() + layout.vector_position,
                     {column.variable, column.extent, 2});
}

/// True if `load` can go through transposed tiles: it is contiguous along `row`, and has another
/// stride along `column`.
inline bool fits_tile(const Layout& layout, const Instruction& load, const Loop& row,
                      const Loop& column) {
  const auto stride = coefficient_of(load.index, column.variable);
  if (!has_step(load.index, row.variable) || !stride) return false;
  if (same(*stride, 0) || same(*stride, 1)) return false;
  if (depends_on(*stride, row.variable) || !load.guards.empty()) return false;
  const auto& argument = layout.kernel.arguments[load.argument];
  return argument.access == Access::read && !layout.has_bind(load.index);
}

// Whether unrolled iterations of a grid loop, other than that over columns, read different
// elements. A tile is filled once for all of them.
inline bool differs_written_out(const Layout& layout, const Instruction& load) {
  const Loop& columns = layout.grid.back();
  return any_of(layout.grid, [&](const Loop& loop) {
    return &loop != &columns && loop.unroll > 1 && depends_on(load.index, loop.variable);
  });
}

// Chooses the grid loop, other than the last, along which most loads can go through tiles.
inline void find_tiles(Layout& layout, std::int64_t least) {
  const auto is_short = [&](const Loop& loop) { return bounds(loop.extent).max < least; };
  if (!layout.vector_grid || layout.grid_depth() < 2 || is_short(layout.grid.back())) return;
  for (std::size_t i = 0; i < layout.stages.size(); ++i) {
    if (!layout.stages[i].empty()) return;
  }
  std::size_t best = 0;
  for (std::size_t i = 0; i + 1 < layout.grid.size(); ++i) {
    if (layout.grid[i].unroll > 1 || is_short(layout.grid[i])) continue;
    Vector<ValueId> loads;
    for (std::size_t id = 0; id < layout.kernel.instructions.size(); ++id) {
      const Instruction& one = layout.kernel.instructions[id];
      if (one.code != Code::load || differs_written_out(layout, one)) continue;
      if (!fits_tile(layout, one, layout.grid[i], layout.grid.back())) continue;
      loads.push_back(static_cast<ValueId>(id));
    }
    if (loads.size() <= layout.transposed.size()) continue;
    layout.transposed = std::move(loads);
    best = i;
  }
  if (layout.transposed.empty()) return;
  const auto row = layout.grid.begin() + static_cast<std::ptrdiff_t>(best);
  std::rotate(row, row + 1, layout.grid.end() - 1);
}

}  // namespace detail

inline Layout::Layout(const Kernel& from, bool pack, const schedule::CppLimits& limits)
    : kernel(from) {
  const bool last_grid = detail::keep_loops(kernel.grid, grid);
  vector_grid = kernel.vector_axis == VectorAxis::grid && last_grid;
  vector_position = grid_depth() - 1;
  for (const schedule::Stage& stage : kernel.stages) {
    const bool last = detail::keep_loops(stage.loops, stages.emplace_back());
    vector_stages.push_back(kernel.vector_axis == VectorAxis::stage && last);
  }
  std::int32_t buffers = 0;
  for (const schedule::Argument& argument : kernel.arguments) {
    parameters.push_back(argument.access == Access::local ? -1 : buffers++);
  }
  for (std::size_t id = 0; id < kernel.instructions.size(); ++id) {
    if (schedule::can_fault(kernel.instructions[id])) checks.push_back(static_cast<ValueId>(id));
  }
  if (pack && last_grid && !kernel.serial) {
    detail::find_panels(*this, limits.fewest_packed_rows);
    if (packed.empty()) detail::find_tiles(*this, limits.fewest_transposed);
  }
  values.resize(kernel.instructions.size());
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    for (const ValueId id : kernel.stages[stage].body) {
      const Instruction& instruction = kernel.instructions[id];
      Dependence value = detail::dependence(*this, instruction, static_cast<int>(stage));
      detail::add_base(*this, instruction, value);
      values[id] = value;
    }
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
