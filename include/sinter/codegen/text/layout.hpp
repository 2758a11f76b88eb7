#pragma once
// What codegen knows of a kernel before it writes a line: its loops, and what each value needs.

#include <cstdint>  // std::uint64_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

using schedule::Access;
using schedule::Code;
using schedule::Guard;
using schedule::Instruction;
using schedule::Kernel;
using schedule::Loop;
using schedule::ValueId;
using schedule::VectorAxis;

/// Loops by position: those of the grid come first, those of the present stage follow.
using LoopSet = std::uint64_t;
constexpr LoopSet loop_at(int position) { return LoopSet{1} << position; }

/// What an instruction depends on, by itself and through its operands.
struct Dependence {
  LoopSet loops = 0;
  int depth = 0;  ///< How many loops must be open; everything else is hoisted out of deeper ones.
  int stage = 0;
  LoopSet base_loops = 0;  ///< Of its index with the innermost loop at 0: a row's first element.
  int base_depth = 0;
  bool has_base = false;  ///< Whether that is worth a pointer of its own.
};

/// A kernel, without the loops that have one iteration.
///
/// With `pack`, a product whose second operand lies along the summed axis is vectorised over the
/// last loop of the grid: the operand is packed into panels first, and the loops that do not change
/// a panel move inside of the one that does. Where a load of a kernel without inner loops steps by
/// one element along another loop than the vectorised one, that loop moves next to it, and the two
/// run over tiles.
struct Layout {
  explicit Layout(const Kernel& kernel, bool pack = false);

  int grid_depth() const { return static_cast<int>(grid.size()); }
  /// True if the grid is known to have no points: what comes before its loops must not run either.
  bool is_empty() const;
  /// The loop at `position` inside of `stage`.
  const Loop& loop(int stage, int position) const;
  /// The position of the loop whose iterations share vectors in `stage`; -1 if none.
  int vector_loop(int stage) const;
  /// The variable of that loop, which must exist.
  Extent vector_variable(int stage) const { return loop(stage, vector_loop(stage)).variable; }
  /// True if `instruction`, one of the kernel, reads a panel.
  bool is_packed(const Instruction& instruction) const;
  /// True if it reads a tile.
  bool is_transposed(const Instruction& instruction) const;
  /// The bind whose variable is `variable`; -1 if it is none.
  ValueId bind_of(Extent variable) const;
  /// The loops on whose iteration `extent` depends in `stage`.
  LoopSet loops_of(Extent extent, int stage) const;
  /// How many loops must be open for `extent` in `stage`.
  int depth_of(Extent extent, int stage) const;

  const Kernel& kernel;
  std::vector<Loop> grid{};
  std::vector<std::vector<Loop>> stages{};
  std::vector<Dependence> values{};
  bool vector_grid = false;                ///< Whether a loop of `grid` is vectorised, ...
  int vector_position = -1;                ///< ... and which.
  std::vector<ValueId> packed{};           ///< The loads that read panels.
  std::vector<ValueId> transposed{};       ///< The loads that read tiles.
  std::vector<bool> vector_stages{};       ///< Whether the last loop of each stage is.
  std::vector<ValueId> checks{};           ///< In order: the number of a fault is a position here.
  std::vector<std::int32_t> parameters{};  ///< For each argument its buffer; -1 if it is local.
};

/// The extents that an instruction reads: its index, and the values of its guards. Where a check
/// stands is of interest only if it fails, and decides nothing.
std::vector<Extent> extents_of(const Instruction& instruction);

/// True if it changes memory, or reads memory that this kernel changes: its place is kept.
bool pinned(const Kernel& kernel, const Instruction& instruction);

namespace detail {

/// True if `load` goes on by one element along `row`, and by as much as `stride` along `column`.
bool fits_tile(const Layout& layout, const Instruction& load, const Loop& row, const Loop& column);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/layout.ipp>
#endif
