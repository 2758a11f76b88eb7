#pragma once
// Writes a matrix product: operands packed into panels that fit in the caches, tiles of sums that
// stay in registers, and what is done to the sums while they are near.

#include <cstdint>  // std::uint8_t
#include <string>   // std::string
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/codegen/cpp.hpp>
#include <sinter/codegen/head.hpp>
#include <sinter/codegen/piece.hpp>
#include <sinter/codegen/product.hpp>
#include <sinter/codegen/writer.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The sums that one call of a `multiply_` helper keeps in registers, and those of the calls at the
/// last rows and columns; 0 where there are no such calls.
struct TileSize {
  int lanes = 1, rows = 1, vectors = 1, rest_rows = 0, rest_vectors = 0;
  int columns() const { return vectors * lanes; }
};

/// The tile for sums of `dtype` in a matrix of `rows` x `columns`.
TileSize tile_size(DType dtype, int vector_bits, Extent rows, Extent columns,
                   const Tuning& tuning = {});

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

class ProductText {
 public:
  /// With `by_columns`, threads share the columns, and nothing else.
  ProductText(const Kernel& kernel, const ProductForm& form, const CppOptions& options,
              KeptPanels kept = {}, bool by_columns = false);
  /// The text of the function that is called `name`, behind those that it calls. Where it keeps
  /// panels, `name`_pack(buffers, sizes) is one of those: what has to write them; by columns, it
  /// takes `thread` and `threads` too, and writes those of a thread.
  std::string function(const std::string& name, Linkage linkage = Linkage::exported);
  /// Whether it has panels to keep, and how many numbers of which type they are.
  bool keeps() const { return kept_.buffer >= 0 && method_ == Method::tiles; }
  Extent kept_elements() const;
  /// How many columns are not shared among threads.
  int column_step() const { return method_ == Method::tiles ? pitch_ : tile_.columns(); }
  /// What outlasts a call with the memory of an input; `input` is the number of a buffer of the
  /// kernel.
  schedule::Kept lasting() const { return with_key(lasting_of(lasting_)); }
  /// The same of a caller that has the panels, and packs them itself.
  schedule::Kept steady_panels() const { return with_key(lasting_of(steady_source())); }
  DType kept_dtype() const { return packed_; }

 private:
  /// How an operand is read: where it is; or packed, a row behind the other or a column; or packed
  /// by columns that are turned into rows.
  enum class Packing : std::uint8_t { none, rows, columns, turned };
  /// How sums are made: by tiles, or, where rows are few, from the other operand where it is: from
  /// its rows, or from its columns if these lie along the depth.
  enum class Method : std::uint8_t { tiles, rows, dots };
  using Names = std::vector<std::pair<Extent, std::string>>;

  const Instruction& at(ValueId id) const;
  bool is_plain(ValueId id) const;
  bool lies_along(ValueId id, const std::vector<Loop>& loops, std::int64_t apart = 1) const;
  /// An operand, before it is widened to the type of the sums if that is all that is done to it.
  ValueId before_widening(ValueId id) const;
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
  std::int32_t source_of_right() const;
  std::int32_t steady_source() const;
  schedule::Kept lasting_of(std::int32_t source) const;
  /// The text of how it is packed: the same for all that pack it alike.
  std::string packing() const;
  schedule::Kept with_key(schedule::Kept kept) const;
  ValueId right_load() const;
  bool reads_right() const;
  /// Up to how many rows are too few for panels.
  std::int64_t few_rows() const;
  bool packs_by_parts() const { return depth_blocks_ && !packs_whole_; }
  std::string first_row() const { return left_ == Packing::none ? "part.row" : "first"; }
  std::string last_row() const { return left_ == Packing::none ? "part.rows" : "last"; }

  PieceKernel new_piece() const;
  Extent add_side(PieceKernel& piece, const std::vector<Loop>& loops) const;
  Extent add_depth(PieceKernel& piece, bool part) const;
  void write_piece(const PieceKernel& piece, const std::string& suffix);
  void write_left_piece();
  void write_right_piece();
  void write_finish_piece();
  void choose_prefetched(const Kernel& finish);
  void write_prefetches();

  std::string c(Extent extent) const;
  std::string argument_name(std::int32_t argument) const;
  /// Of panels.
  std::string type() const { return std::string(memory_type(packed_)); }
  std::string packed_depth() const;
  Extent deepest_panel() const { return packs_whole_ ? depth_ : max(block_steps_ * inner_, 1); }
  /// How deep the memory of a panel is.
  Extent panel_depth(Extent depth) const { return pairs_ ? floor_div(depth + 1, 2) * 2 : depth; }
  void write_input(ValueId id);
  void write_sizes();
  void write_part();
  void write_pack();
  void write_kept_panel();
  void write_scratch(const std::string& name, Extent elements, DType dtype);
  void write_unpacked();
  void write_memory();
  void write_lasting();
  void write_lasting_panel();
  void write_batch();
  void write_row_blocks();
  void write_panels();
  void write_depth_blocks();
  void write_panel();
  void write_panel_rows(const std::string& to);
  /// Writes pairs of the rows that lie `stride` apart.
  void write_paired_rows(const std::string& from, const std::string& stride);
  /// Writes `columns` columns, `step` apart, as those of the panel from `to` on.
  void write_transposed(const std::string& from, const std::string& step,
                        const std::string& columns, const std::string& to);
  void write_tiles(const std::string& first, const std::string& last);
  void write_tile();
  void write_multiply(std::string_view column, const std::string& width);
  void write_few_rows();
  std::string dots() const;
  std::string few_rows_helper() const;
  void write_finish();
  std::string right_address() const;
  void write_left();
  void write_turned_left();
  /// The helper for a tile of `width` columns at most.
  std::string multiply(const std::string& width) const;
  std::string left_address() const;
  std::string batch_arguments() const;
  /// Calls `body` with the arguments for the loops of a side, from `begin` to `end`, and where its
  /// first element is, counted from `begin`; in a loop over runs if there are several loops.
  template <class Body>
  void for_runs(const std::vector<Loop>& loops, const std::string& begin, const std::string& end,
                const std::string& name, Body body);

  const Kernel& kernel_;
  const ProductForm& form_;
  CppOptions options_;
  KeptPanels kept_;
  bool by_columns_;
  DType dtype_;  ///< Of sums.
  TileSize tile_;
  Method method_ = Method::tiles;
  struct {
    int rows = 1, columns = 1;
  } dots_{};       ///< The sums of lanes that are made at once.
  int pitch_ = 1;  ///< How many columns are computed with one panel, or at once if rows are few.
  Packing left_ = Packing::none, right_ = Packing::columns;
  bool pairs_ = false;
  bool squares_ = false;              ///< Pairs, by squares of sums.
  DType packed_;                      ///< Of panels and blocks: that of the sums, or of the pairs.
  ValueId left_value_, right_value_;  ///< What is packed.
  bool turns_left_ = false;           ///< Whether what is turned is an input as it is.
  bool copies_right_ = false;         ///< Whether `right` is read from an input as it is.
  bool depth_blocks_ = false;
  bool packs_whole_ = false;       ///< Then: whether all blocks of a panel are packed at once.
  Extent rows_, columns_, depth_;  ///< How many.
  Extent block_pitch_ = 0;         ///< How far apart rows of a block of `left` lie.
  Extent inner_ = 1;               ///< Of `depth_`, those of one step of its first loop.
  Extent block_steps_ = 0;         ///< The steps of that loop that one panel holds.
  Extent turned_steps_ = 0;        ///< Those that are turned at once.
  std::int32_t lasting_ = -1;      ///< The argument of which the panels may be of another call.
  std::int64_t block_rows_ = 480;  ///< Multiples of which are packed at once.
  /// Rows of an argument that the finish of a tile reads or writes.
  struct PrefetchedRows {
    std::int32_t argument = -1;
    Extent index = 0, stride = 0;
    bool is_written = false;
  };
  std::vector<PrefetchedRows> prefetched_{};
  std::string name_{}, pieces_{};
  Names names_{};
  Writer out_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/product_choice.ipp>
#include <sinter/codegen/product_kept.ipp>
#include <sinter/codegen/product_lasting.ipp>
#include <sinter/codegen/product_operands.ipp>
#include <sinter/codegen/product_pieces.ipp>
#include <sinter/codegen/product_text.ipp>
#endif
