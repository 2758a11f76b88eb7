#pragma once
// Decides how a matrix product is computed: its register tiles, packing, and blocks.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int32_t, std::int64_t, std::uint8_t

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/product/tile.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Memory for the panels of `right`, which the caller keeps for several calls while they stay the
/// same. `depth` and `columns` are those of the largest of the calls.
struct SharedPanels {
  std::int32_t buffer = -1;  ///< Its position in `buffers`, where it may be null.
  Extent depth = 0, columns = 0;
};

namespace detail {

// A block that is packed by columns consists of groups of this many rows: all heights of register
// tiles divide it.
inline constexpr std::int64_t column_rows = 48;

}  // namespace detail

/// The decisions that precede the text of a product. Refers to `kernel` and `form`.
struct ProductDecision {
  /// How an operand is read: in place; or packed, by rows or by columns; or packed by columns that
  /// are then transposed to rows.
  enum class Packing : std::uint8_t { none, rows, columns, transposed };
  /// How sums are computed: in register tiles, or, for few rows, from the right operand in place:
  /// from its rows, or as dot products with its columns if these are contiguous along the depth.
  enum class Method : std::uint8_t { tiles, rows, dots };

  /// With `by_columns`, threads share the columns, and nothing else.
  ProductDecision(const Kernel& whole, const ProductForm& product, const CppOptions& choices,
                  SharedPanels panels = {}, bool by_columns = false);

  const Instruction& at(ValueId id) const;
  /// An operand before its conversion to the type of the sums, if that is all that is done to it.
  ValueId before_widening(ValueId id) const { return codegen::before_widening(kernel, id, dtype); }
  /// An operand before the conversions to 16 bits and back that autocast inserted, which need not
  /// round unless numerics are strict.
  ValueId before_unrounded_casts(ValueId id) const;
  ValueId right_load() const;
  bool lies_along(ValueId id, const Vector<Loop>& loops, std::int64_t apart = 1) const {
    return detail::lies_along(kernel, id, loops, apart);
  }
  /// The largest number of rows for which panels do not pay.
  std::int64_t few_rows() const;
  bool packs_by_depth_blocks() const { return depth_blocks && !packs_all_depth_blocks; }
  Extent deepest_panel() const {
    return packs_all_depth_blocks ? depth : max(block_steps * inner, 1);
  }
  /// The depth of a micro-panel in memory, which is the same for all calls that share it.
  Extent micro_panel_depth() const { return shared.buffer >= 0 ? shared.depth : deepest_panel(); }
  /// The stride of columns that are contiguous along the depth before they are packed.
  Extent column_pitch() const { return packs_by_depth_blocks() ? deepest_panel() : depth; }
  /// The number of all steps along the depth.
  Extent steps() const;
  /// The depth of a panel in memory.
  Extent panel_depth(Extent deep) const {
    if (transforms_panels) return floor_div(deep * 16, 9);
    return uses_bf16_dot ? floor_div(deep + 1, 2) * 2 : deep;
  }
  /// Whether the caller may keep its panels.
  bool has_shared_panels() const { return shared.buffer >= 0 && method == Method::tiles; }
  const schedule::CppLimits& limits() const { return options.target.cpp; }
  /// How many columns stay with one thread.
  int column_step() const { return method == Method::tiles ? pitch : tile.columns(); }

  const Kernel& kernel;
  const ProductForm& form;
  CppOptions options;
  SharedPanels shared;
  bool shares_columns;
  DType dtype;  ///< Of the sums.
  TileSize tile;
  Method method = Method::tiles;
  struct {
    int rows = 1, columns = 1;
  } dots{};       ///< The dot products that are computed at once.
  int pitch = 1;  ///< Columns of a panel, or of a step if rows are few.
  /// Columns of a micro-panel, which a tile reads: its rows follow each other in memory.
  int micro_pitch = 1;
  /// Whether panels hold 4 by 4 transformed weights for each 3 by 3 window: see Winograd.
  bool transforms_panels = false;
  Packing left = Packing::none, right = Packing::columns;
  bool uses_bf16_dot = false;  ///< Multiplies pairs of bf16 that follow each other along the depth.
  bool uses_amx = false;       ///< The same in AMX tiles.
  DType packed;                ///< Of panels and blocks: that of the sums, or bf16.
  ValueId left_value, right_value;      ///< What is packed.
  /// Whether `left`, which is then read in place, has a stride of 1 only within a block.
  bool left_by_blocks = false;
  bool transposes_input = false;        ///< Whether `left` is an input that is transposed directly.
  bool right_is_input = false;          ///< Whether `right` is an input that is read directly.
  bool depth_blocks = false;            ///< Whether the depth is split into blocks.
  bool packs_all_depth_blocks = false;  ///< Whether a panel then holds all of them.
  Extent rows, columns, depth;          ///< Their numbers.
  Extent block_pitch = 0;               ///< The stride of rows in a block of `left`.
  /// How many loops of `depth`, from the first, are counted by steps; only the extent of the first
  /// may be symbolic, and 0.
  std::size_t step_loops = 1;
  Extent inner = 1;            ///< The part of `depth` in one step.
  Extent block_steps = 0;      ///< Steps in a block, which is a part of the last of these loops.
  Extent transposed_steps = 0;          ///< Steps that are transposed at a time.
  std::int32_t packed_argument = -1;    ///< Whose panels are kept between calls; -1: none.
  std::int64_t rows_per_block = 0;      ///< Rows of `left` that are packed at a time.

 private:
  bool is_plain(ValueId id) const;
  /// Whether both operands are bf16 and may be multiplied in pairs along the depth.
  bool can_use_bf16_dot() const;
  /// True if rows of `left` that are read in place evict each other from the L1 cache, and there
  /// are enough columns to pay for a packed copy.
  bool packs_conflicting_rows() const;
  void choose_left();
  void choose_right();
  Method few_rows_method() const;
  int tiles_of_panel() const;
  void choose_method();
  /// Counts iterations of further loops of the depth as steps until a step has at most a quarter of
  /// `most` elements. Pairs of bf16, and rows that are transposed several steps at a time, keep the
  /// steps of the first loop.
  void choose_steps(std::int64_t most);
  void choose_left_by_blocks();
  void choose_blocks();
  void choose_packed_argument();
  bool can_read_right_in_place() const;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/product/decision.ipp>
#endif
