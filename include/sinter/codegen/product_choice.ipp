#pragma once

// How a product is computed: its tiles, what is packed, and how much at once.

#include <algorithm>  // std::max, std::min

#include <sinter/codegen/product_text.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// A panel of so many bytes leaves room in the second-level cache for the rows that meet it.
inline constexpr std::int64_t panel_bytes = std::int64_t{1} << 19;
// The width of a panel, in vectors.
inline constexpr int panel_vectors = 4;
// Panels of so many bytes are packed at once, and stay in the last cache.
inline constexpr std::int64_t whole_bytes = std::int64_t{1} << 22;
// A block of rows is read once for each panel, so it need not be nearer than the last cache.
inline constexpr std::int64_t left_bytes = std::int64_t{1} << 23;
// Columns of a block lie so many rows behind one another.
inline constexpr std::int64_t column_rows = 48;
// Columns of so many bytes are met by a tile in the first caches. More of them are turned into
// rows, so many columns at once.
inline constexpr std::int64_t most_column_bytes = std::int64_t{1} << 16;
inline constexpr std::int64_t turned_columns = 512;
// The size of one way of the L1 cache: addresses a multiple of it apart map to the same set.
inline constexpr std::int64_t way_bytes = 4096;
// Rows that map to the same set are packed if each has at least this many vectors of columns to be
// multiplied by.
inline constexpr std::int64_t vectors_for_packing = 32;
// So few rows do not pay for panels: what is read once is read where it is.
inline constexpr std::int64_t few_rows = 16;
// The sums of few rows, which stay in the first-level cache.
inline constexpr std::int64_t most_few_sums = 4096;
// The sums of so many rows are kept while the panels of their columns follow each other.
inline constexpr std::int64_t sum_rows = 480;
inline constexpr std::int64_t most_block_rows = 4080;

// True if vectors along the last of `loops` are worth while.
SINTER_INLINE bool is_long(const std::vector<Loop>& loops) {
  return bounds(loops.back().extent).max >= 8;
}

// Of `all` rows, the largest part of about `wanted` if all parts are alike: each packs panels anew.
SINTER_INLINE std::int64_t even_part(std::int64_t all, std::int64_t wanted) {
  const std::int64_t parts = std::max<std::int64_t>(1, (all + wanted / 2) / wanted);
  const std::int64_t rows = (all + parts - 1) / parts;
  return std::clamp((rows + column_rows - 1) / column_rows * column_rows, column_rows,
                    most_block_rows);
}

SINTER_INLINE DType accumulated_as(DType dtype) {
  return dtype == f16 || dtype == bf16 ? f32 : dtype;
}

}  // namespace detail

// As many sums as there are registers, but for those of a row of `right` and an element of `left`.
SINTER_INLINE TileSize tile_size(DType dtype, int vector_bits, Extent rows, Extent columns,
                                 const Tuning& tuning) {
  TileSize tile;
  const int bytes = std::max(4, static_cast<int>(info(detail::accumulated_as(dtype)).size));
  tile.lanes = vector_bits == 0 ? 1 : vector_bits / (8 * bytes);
  tile.vectors = vector_bits == 512 || vector_bits == 0 ? 4 : 2;
  tile.rows = vector_bits == 0 ? 3 : 6;
  if (tuning.tile_rows != 0) tile.rows = tuning.tile_rows, tile.vectors = tuning.tile_vectors;
  const std::int64_t wide = bounds(columns).max, high = bounds(rows).max;
  if (wide < tile.columns()) {
    tile.vectors = std::max(1, static_cast<int>((wide + tile.lanes - 1) / tile.lanes));
    if (tile.columns() < 4) tile.vectors = 4 / tile.lanes;  // columns are transposed by fours
    if (vector_bits == 512 && tile.vectors <= 2 && tuning.tile_rows == 0) tile.rows = 8;
  } else if (!columns.is_number()) {
    tile.rest_vectors = tile.vectors / 2;
  } else if (columns.number() % tile.columns() != 0) {
    const auto left = static_cast<int>(columns.number() % tile.columns());
    tile.rest_vectors = (left + tile.lanes - 1) / tile.lanes;
  }
  if (tile.rest_vectors == tile.vectors) tile.rest_vectors = 0;
  if (high < tile.rows) {
    tile.rows = static_cast<int>(std::max<std::int64_t>(high, 1));
  } else if (!rows.is_number()) {
    tile.rest_rows = (tile.rows + 1) / 2;
  } else {
    tile.rest_rows = static_cast<int>(rows.number() % tile.rows);
  }
  return tile;
}

SINTER_INLINE
ProductText::ProductText(const Kernel& kernel, const ProductForm& form, const CppOptions& options,
                         KeptPanels kept, bool by_columns)
    : kernel_(kernel),
      form_(form),
      options_(options),
      kept_(kept),
      by_columns_(by_columns),
      dtype_(detail::accumulated_as(at(form.sum).dtype)),
      tile_(tile_size(dtype_, options.vector_bits, count_of(form.rows), count_of(form.columns),
                      options.tuning)),
      packed_(dtype_),
      left_value_(form.left),
      right_value_(form.right),
      rows_(count_of(form.rows)),
      columns_(count_of(form.columns)),
      depth_(count_of(form.depth)) {
  for (std::size_t i = 1; i < form_.depth.size(); ++i) inner_ *= form_.depth[i].extent;
  method_ = few_rows_method();
  if (multiplies_pairs()) {
    pairs_ = true;
    packed_ = bf16;
    left_value_ = before_widening(form.left);
    right_value_ = before_widening(form.right);
    squares_ = options.multiplies_squares && options.tuning.tile_rows == 0;
    if (squares_) tile_.rows = 16, tile_.rest_rows = 0;
  }
  choose_left();
  choose_right();
  choose_method();
  // An odd number of lines of memory: rows meet in all sets of the caches, not in some.
  const int line = pairs_ ? 32 : 16;
  block_pitch_ = floor_div(depth_ + (line - 1), 2 * line) * (2 * line) + line;
  if (method_ == Method::tiles) choose_blocks(), choose_lasting();
  for (std::size_t i = 0; i < kernel.symbols.size(); ++i) {
    names_.emplace_back(kernel.symbols[i], text("n", i));
  }
}

SINTER_INLINE const Instruction& ProductText::at(ValueId id) const {
  return kernel_.instructions[static_cast<std::size_t>(id)];
}

// An input, as numbers of the type of panels.
SINTER_INLINE bool ProductText::is_plain(ValueId id) const {
  return at(id).code == Code::load && at(id).guards.empty() && at(id).dtype == packed_ &&
         kernel_.arguments[static_cast<std::size_t>(at(id).argument)].dtype == packed_;
}

SINTER_INLINE ValueId ProductText::before_widening(ValueId id) const {
  while (at(id).code == Code::compute && at(id).op == Op::cast && at(id).dtype == dtype_) {
    id = at(id).operands[0];
  }
  return id;
}

// Where the order of sums and the rounding of each product do not matter.
SINTER_INLINE bool ProductText::multiplies_pairs() const {
  const auto is_bf16 = [&](ValueId id) { return at(before_widening(id)).dtype == bf16; };
  return options_.multiplies_pairs && !options_.strict && options_.vector_bits == 512 &&
         method_ == Method::tiles && dtype_ == f32 && is_bf16(form_.left) && is_bf16(form_.right);
}

// True if neighbours of the last of `loops` are neighbours in an input from
// which `id` is computed, or lie up to `apart` elements apart.
SINTER_INLINE bool ProductText::lies_along(ValueId id, const std::vector<Loop>& loops,
                                           std::int64_t apart) const {
  if (loops.empty()) return false;
  std::vector<bool> used(kernel_.instructions.size(), false);
  detail::mark_used(kernel_, id, -1, used);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Instruction& one = kernel_.instructions[i];
    if (!used[i] || one.code != Code::load) continue;
    const auto step = coefficient_of(one.index, loops.back().variable);
    if (step && step->is_number() && step->number() >= 1 && step->number() <= apart) return true;
  }
  return false;
}

SINTER_INLINE bool ProductText::packs_conflicting_rows() const {
  if (tile_.lanes == 1 || !detail::is_long(form_.depth)) return false;
  const auto step = flat_step(at(left_value_).index, form_.rows);
  const auto size = static_cast<std::int64_t>(info(packed_).size);
  const std::int64_t least_columns = detail::vectors_for_packing * tile_.lanes;
  return tile_.rows > 1 && step && step->is_number() && columns_.is_number() &&
         step->number() * size % detail::way_bytes == 0 && columns_.number() >= least_columns;
}

SINTER_INLINE void ProductText::choose_left() {
  if (is_plain(left_value_) && flat_step(at(left_value_).index, form_.rows)) {
    const auto step = flat_step(at(left_value_).index, form_.depth);
    const bool few = !pairs_ && bounds(columns_).max <= tile_.columns();  // read once anyway
    if (step && (same(*step, 1) || few) && !packs_conflicting_rows()) return;
  }
  const bool along_depth = lies_along(left_value_, form_.depth) && detail::is_long(form_.depth);
  left_ = !along_depth && lies_along(left_value_, form_.rows) ? Packing::columns : Packing::rows;
  const std::int64_t deep = bounds(depth_).max;
  const auto size = static_cast<std::int64_t>(info(dtype_).size) * detail::column_rows;
  const bool is_long = pairs_ || deep == unbounded || deep * size > detail::most_column_bytes;
  if (left_ != Packing::columns || tile_.lanes == 1 || !is_long) return;
  left_ = Packing::turned;
  const Extent together = max(floor_div(detail::turned_columns, max(inner_, 1)), 1);
  turned_steps_ = min(form_.depth[0].extent, together);
  const auto step = flat_step(at(left_value_).index, form_.rows);
  turns_left_ = is_plain(left_value_) && step && same(*step, 1) &&
                flat_step(at(left_value_).index, form_.depth);
}

SINTER_INLINE void ProductText::choose_right() {
  const bool along_columns = lies_along(right_value_, form_.columns);
  const bool along_depth = lies_along(right_value_, form_.depth, 2) && detail::is_long(form_.depth);
  const bool in_rows = !along_depth || (along_columns && detail::is_long(form_.columns));
  right_ = in_rows ? Packing::columns : Packing::rows;
  if (!is_plain(right_value_) || (in_rows && !pairs_)) return;
  const auto step = flat_step(at(right_value_).index, in_rows ? form_.columns : form_.depth);
  copies_right_ = step && same(*step, 1) &&
                  flat_step(at(right_value_).index, in_rows ? form_.depth : form_.columns);
}

SINTER_INLINE std::int64_t ProductText::few_rows() const {
  return options_.tuning.few_rows != 0 ? options_.tuning.few_rows : detail::few_rows;
}

// What is read where `right` is an input that is widened at most.
SINTER_INLINE ValueId ProductText::right_load() const { return before_widening(form_.right); }

// True if few rows can read `right` where it is.
SINTER_INLINE bool ProductText::reads_right() const {
  const Instruction& load = at(right_load());
  if (load.code != Code::load || !load.guards.empty()) return false;
  const DType stored = kernel_.arguments[static_cast<std::size_t>(load.argument)].dtype;
  if (is_plain(right_value_)) return true;
  const bool widens = stored == bf16 || stored == f16 || stored == i8;
  return widens && dtype_ == f32 && load.dtype == stored;
}

SINTER_INLINE ProductText::Method ProductText::few_rows_method() const {
  const bool in_order = options_.strict && is_floating(dtype_);
  const bool few = bounds(rows_).max <= few_rows();
  if (!few || tile_.lanes == 1 || in_order || !reads_right()) return Method::tiles;
  const Extent index = at(right_load()).index;
  const auto step = flat_step(index, form_.depth), stride = flat_step(index, form_.columns);
  if (!step || !stride) return Method::tiles;
  return same(*stride, 1) ? Method::rows : same(*step, 1) ? Method::dots : Method::tiles;
}

// How many tiles lie side by side in a panel. Each panel reads the left operand again, so wider
// panels read it less often.
SINTER_INLINE int ProductText::tiles_of_panel() const {
  if (tile_.lanes == 1 || pairs_) return 1;
  const std::int64_t all = (bounds(columns_).max - 1) / tile_.columns() + 1;
  const int wanted = std::max(1, detail::panel_vectors / tile_.vectors);
  return static_cast<int>(std::clamp<std::int64_t>(all, 1, wanted));
}

SINTER_INLINE void ProductText::choose_method() {
  pitch_ = tile_.columns() * tiles_of_panel();
  const std::int64_t high = bounds(rows_).max;
  if (method_ == Method::rows) {
    const std::int64_t fit = detail::most_few_sums / std::max<std::int64_t>(high, 1);
    const std::int64_t wide = bounds(columns_).max;
    pitch_ = static_cast<int>((std::min(fit, wide) + tile_.lanes - 1) / tile_.lanes * tile_.lanes);
  } else if (method_ == Method::dots) {
    const auto along = is_plain(left_value_) ? flat_step(at(left_value_).index, form_.depth)
                                             : std::optional<Extent>{};
    if (!along || !same(*along, 1)) left_ = Packing::rows, turns_left_ = false;
    dots_ = {static_cast<int>(std::min<std::int64_t>(high, 4)),
             options_.vector_bits == 512 ? 6 : 2};
    pitch_ = 16 * dots_.columns;
  }
  if (method_ != Method::tiles) copies_right_ = true;
}

// Long sums are made in blocks of about equal length.
SINTER_INLINE void ProductText::choose_blocks() {
  const auto size = static_cast<std::int64_t>(info(packed_).size);
  const int kilobytes = options_.tuning.panel_kilobytes;
  const std::int64_t panel = kilobytes != 0 ? 1024 * kilobytes : detail::panel_bytes;
  const std::int64_t most = panel / (size * pitch_);
  const Extent steps = form_.depth[0].extent;
  depth_blocks_ = bounds(depth_).max > most;
  block_steps_ = steps;
  if (depth_blocks_ && depth_.is_number() && inner_.is_number()) {
    const std::int64_t blocks = (depth_.number() + most - 1) / most;
    block_steps_ = std::max<std::int64_t>(1, (steps.number() + blocks - 1) / blocks);
    if (pairs_) block_steps_ += block_steps_.number() % 2;
    depth_blocks_ = block_steps_.number() < steps.number();
  } else if (depth_blocks_) {
    const int together = pairs_ ? 2 : 1;  // no pair is in two blocks
    block_steps_ = min(steps, max(floor_div(most / together, max(inner_, 1)), 1) * together);
  }
  const std::int64_t deep = bounds(depth_).max;
  const bool fits = deep <= detail::whole_bytes / (size * pitch_);
  packs_whole_ = depth_blocks_ && (fits || kept_.buffer >= 0);
  if (left_ != Packing::none && deep != unbounded) {
    const std::int64_t fit = detail::left_bytes / std::max<std::int64_t>(1, deep * size);
    block_rows_ = std::clamp(fit / detail::column_rows * detail::column_rows, detail::column_rows,
                             detail::most_block_rows);
    if (rows_.is_number()) block_rows_ = detail::even_part(rows_.number(), block_rows_);
  }
  if (options_.tuning.block_rows != 0) block_rows_ = options_.tuning.block_rows;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
