#pragma once
// How a matrix product is computed: its tiles, what is packed, and how much at once.

#include <cstdint>  // std::int32_t, std::int64_t, std::uint8_t
#include <vector>   // std::vector

#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/product/tile.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Memory for the panels of `right`, which the caller keeps from call to call while they stay the
/// same: of a product that has so many columns and is so deep in the largest of the calls.
struct KeptPanels {
  std::int32_t buffer = -1;  ///< Its place in `buffers`, where it may be null.
  Extent depth = 0, columns = 0;
};

/// What it costs to pack an element, in multiply-adds.
inline constexpr int packing_cost = 48;
/// Of so many rows and more, packing is too small a part of the time to be worth the memory.
inline constexpr std::int64_t most_rows_to_keep = 1536;
// Deeper products of few rows read columns in parts, so that they stay near.
inline constexpr std::int64_t most_even_depth = 1024;

namespace detail {

// A panel of so many bytes leaves room in the second-level cache for the rows that meet it.
inline constexpr std::int64_t panel_bytes = std::int64_t{1} << 19;
// Columns of a block lie so many rows behind one another.
inline constexpr std::int64_t column_rows = 48;
// The sums of so many rows are kept while the panels of their columns follow each other.
inline constexpr std::int64_t sum_rows = 480;

}  // namespace detail

/// What is decided before a line of a product is written. It refers to `kernel` and `form`.
struct ProductDecision {
  /// How an operand is read: where it is; or packed, a row behind the other or a column; or packed
  /// by columns that are turned into rows.
  enum class Packing : std::uint8_t { none, rows, columns, turned };
  /// How sums are made: by tiles, or, where rows are few, from the other operand where it is: from
  /// its rows, or from its columns if these lie along the depth.
  enum class Method : std::uint8_t { tiles, rows, dots };

  /// With `shares_columns`, threads share the columns, and nothing else.
  ProductDecision(const Kernel& whole, const ProductForm& product, const CppOptions& choices,
                  KeptPanels panels = {}, bool shares_columns = false);

  const Instruction& at(ValueId id) const;
  /// An operand, before it is widened to the type of the sums if that is all that is done to it.
  ValueId before_widening(ValueId id) const;
  ValueId right_load() const;
  /// Up to how many rows are too few for panels.
  std::int64_t few_rows() const;
  bool packs_by_parts() const { return depth_blocks && !packs_whole; }
  Extent deepest_panel() const { return packs_whole ? depth : max(block_steps * inner, 1); }
  /// How deep the memory of a panel is.
  Extent panel_depth(Extent deep) const { return pairs ? floor_div(deep + 1, 2) * 2 : deep; }
  /// Whether it has panels to keep.
  bool keeps() const { return kept.buffer >= 0 && method == Method::tiles; }
  /// How many columns are not shared among threads.
  int column_step() const { return method == Method::tiles ? pitch : tile.columns(); }

  const Kernel& kernel;
  const ProductForm& form;
  CppOptions options;
  KeptPanels kept;
  bool by_columns;
  DType dtype;  ///< Of sums.
  TileSize tile;
  Method method = Method::tiles;
  struct {
    int rows = 1, columns = 1;
  } dots{};       ///< The sums of lanes that are made at once.
  int pitch = 1;  ///< How many columns are computed with one panel, or at once if rows are few.
  Packing left = Packing::none, right = Packing::columns;
  bool pairs = false;
  bool squares = false;             ///< Pairs, by squares of sums.
  DType packed;                     ///< Of panels and blocks: that of the sums, or of the pairs.
  ValueId left_value, right_value;  ///< What is packed.
  bool turns_left = false;          ///< Whether what is turned is an input as it is.
  bool copies_right = false;        ///< Whether `right` is read from an input as it is.
  bool depth_blocks = false;
  bool packs_whole = false;       ///< Then: whether all blocks of a panel are packed at once.
  Extent rows, columns, depth;    ///< How many.
  Extent block_pitch = 0;         ///< How far apart rows of a block of `left` lie.
  Extent inner = 1;               ///< Of `depth`, those of one step of its first loop.
  Extent block_steps = 0;         ///< The steps of that loop that one panel holds.
  Extent turned_steps = 0;        ///< Those that are turned at once.
  std::int32_t lasting = -1;      ///< The argument of which the panels may be of another call.
  std::int64_t block_rows = 480;  ///< Multiples of which are packed at once.

 private:
  bool is_plain(ValueId id) const;
  bool lies_along(ValueId id, const std::vector<Loop>& loops, std::int64_t apart = 1) const;
  /// Whether both operands are bf16, and are multiplied as pairs of neighbours along the depth.
  bool multiplies_pairs() const;
  /// True if rows of `left` that are read in place evict each other from the L1 cache, and there
  /// are enough columns to pay for a packed copy.
  bool packs_conflicting_rows() const;
  void choose_left();
  void choose_right();
  Method few_rows_method() const;
  int tiles_of_panel() const;
  void choose_method();
  void choose_blocks();
  void choose_lasting();
  bool reads_right() const;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/product/decision.ipp>
#endif
