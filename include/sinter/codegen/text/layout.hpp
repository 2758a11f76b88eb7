#pragma once
// Lays out a kernel before codegen writes it: its loops, and the loops that each value depends on.

#include <cstdint>  // std::uint64_t
#include <vector>   // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/ir/target.hpp>

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
  bool is_empty() const;
  /// The loop at `position` in `stage`.
  const Loop& loop(int stage, int position) const;
  /// The position of the vectorised loop of `stage`; -1 if there is none.
  int vector_loop(int stage) const;
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
  ValueId bind_of(Extent variable) const;
  /// True if `extent` depends on the variable of a bind.
  bool has_bind(Extent extent) const;
  /// The loops that `extent` depends on in `stage`.
  LoopSet loops_of(Extent extent, int stage) const;
  /// How many loops must be open for `extent` in `stage`.
  int depth_of(Extent extent, int stage) const;

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

/// The extents that an instruction reads: its guards and its index, unless it is a check, whose
/// index only serves the report of a fault.
std::vector<Extent> extents_of(const Instruction& instruction);

/// True if it writes memory, or reads memory that this kernel writes: it must not move.
bool pinned(const Kernel& kernel, const Instruction& instruction);

namespace detail {

/// True if `load` can go through transposed tiles: it is contiguous along `row`, and has another
/// stride along `column`.
bool fits_tile(const Layout& layout, const Instruction& load, const Loop& row, const Loop& column);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/layout.ipp>
#endif
