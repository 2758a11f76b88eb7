#pragma once

#include <algorithm>  // std::clamp, std::max, std::min
#include <optional>   // std::optional

#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/cpp/product/packed_weights.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// The width of a panel, in vectors.
inline constexpr int panel_vectors = 4;
// Panels of so many bytes are packed at once, and stay in the last cache.
inline constexpr std::int64_t whole_bytes = std::int64_t{1} << 22;
// A block of rows is read once for each panel, so it need not be nearer than the last cache.
inline constexpr std::int64_t left_bytes = std::int64_t{1} << 23;
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
// Rows of a block of `left`.
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

}  // namespace detail

SINTER_INLINE
ProductDecision::ProductDecision(const Kernel& whole, const ProductForm& product,
                                 const CppOptions& choices, KeptPanels panels, bool shares_columns)
    : kernel(whole),
      form(product),
      options(choices),
      kept(panels),
      by_columns(shares_columns),
      dtype(detail::accumulated_as(at(form.sum).dtype)),
      tile(tile_size(dtype, options.vector_bits, count_of(form.rows), count_of(form.columns),
                     options.tuning)),
      packed(dtype),
      left_value(form.left),
      right_value(form.right),
      rows(count_of(form.rows)),
      columns(count_of(form.columns)),
      depth(count_of(form.depth)) {
  for (std::size_t i = 1; i < form.depth.size(); ++i) inner *= form.depth[i].extent;
  method = few_rows_method();
  if (multiplies_pairs()) {
    pairs = true;
    packed = bf16;
    left_value = before_widening(form.left);
    right_value = before_widening(form.right);
    squares = options.multiplies_squares && options.tuning.tile_rows == 0;
    if (squares) tile.rows = 16, tile.rest_rows = 0;
  }
  choose_left();
  choose_right();
  choose_method();
  // An odd number of lines of memory: rows meet in all sets of the caches, not in some.
  const int line = pairs ? 32 : 16;
  block_pitch = floor_div(depth + (line - 1), 2 * line) * (2 * line) + line;
  if (method == Method::tiles) choose_blocks(), choose_lasting();
}

SINTER_INLINE const Instruction& ProductDecision::at(ValueId id) const {
  return kernel.instructions[static_cast<std::size_t>(id)];
}

// An input, as numbers of the type of panels.
SINTER_INLINE bool ProductDecision::is_plain(ValueId id) const {
  return at(id).code == Code::load && at(id).guards.empty() && at(id).dtype == packed &&
         kernel.arguments[static_cast<std::size_t>(at(id).argument)].dtype == packed;
}

SINTER_INLINE ValueId ProductDecision::before_widening(ValueId id) const {
  while (at(id).code == Code::compute && at(id).op == Op::cast && at(id).dtype == dtype) {
    id = at(id).operands[0];
  }
  return id;
}

// Where the order of sums and the rounding of each product do not matter.
SINTER_INLINE bool ProductDecision::multiplies_pairs() const {
  const auto is_bf16 = [&](ValueId id) { return at(before_widening(id)).dtype == bf16; };
  return options.multiplies_pairs && !options.strict && options.vector_bits == 512 &&
         method == Method::tiles && dtype == f32 && is_bf16(form.left) && is_bf16(form.right);
}

// True if neighbours of the last of `loops` are neighbours in an input from
// which `id` is computed, or lie up to `apart` elements apart.
SINTER_INLINE bool ProductDecision::lies_along(ValueId id, const std::vector<Loop>& loops,
                                               std::int64_t apart) const {
  if (loops.empty()) return false;
  std::vector<bool> used(kernel.instructions.size(), false);
  detail::mark_used(kernel, id, -1, used);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Instruction& one = kernel.instructions[i];
    if (!used[i] || one.code != Code::load) continue;
    const auto step = coefficient_of(one.index, loops.back().variable);
    if (step && step->is_number() && step->number() >= 1 && step->number() <= apart) return true;
  }
  return false;
}

SINTER_INLINE bool ProductDecision::packs_conflicting_rows() const {
  if (tile.lanes == 1 || !detail::is_long(form.depth)) return false;
  const auto step = flat_step(at(left_value).index, form.rows);
  const auto size = static_cast<std::int64_t>(info(packed).size);
  const std::int64_t least_columns = detail::vectors_for_packing * tile.lanes;
  return tile.rows > 1 && step && step->is_number() && columns.is_number() &&
         step->number() * size % detail::way_bytes == 0 && columns.number() >= least_columns;
}

SINTER_INLINE void ProductDecision::choose_left() {
  if (is_plain(left_value) && flat_step(at(left_value).index, form.rows)) {
    const auto step = flat_step(at(left_value).index, form.depth);
    const bool few = !pairs && bounds(columns).max <= tile.columns();  // read once anyway
    if (step && (same(*step, 1) || few) && !packs_conflicting_rows()) return;
  }
  const bool along_depth = lies_along(left_value, form.depth) && detail::is_long(form.depth);
  left = !along_depth && lies_along(left_value, form.rows) ? Packing::columns : Packing::rows;
  const std::int64_t deep = bounds(depth).max;
  const auto size = static_cast<std::int64_t>(info(dtype).size) * detail::column_rows;
  const bool is_long = pairs || deep == unbounded || deep * size > detail::most_column_bytes;
  if (left != Packing::columns || tile.lanes == 1 || !is_long) return;
  left = Packing::turned;
  const Extent together = max(floor_div(detail::turned_columns, max(inner, 1)), 1);
  turned_steps = min(form.depth[0].extent, together);
  const auto step = flat_step(at(left_value).index, form.rows);
  turns_left =
      is_plain(left_value) && step && same(*step, 1) && flat_step(at(left_value).index, form.depth);
}

SINTER_INLINE void ProductDecision::choose_right() {
  const bool along_columns = lies_along(right_value, form.columns);
  const bool along_depth = lies_along(right_value, form.depth, 2) && detail::is_long(form.depth);
  const bool in_rows = !along_depth || (along_columns && detail::is_long(form.columns));
  right = in_rows ? Packing::columns : Packing::rows;
  if (!is_plain(right_value) || (in_rows && !pairs)) return;
  const auto step = flat_step(at(right_value).index, in_rows ? form.columns : form.depth);
  copies_right = step && same(*step, 1) &&
                 flat_step(at(right_value).index, in_rows ? form.depth : form.columns);
}

SINTER_INLINE std::int64_t ProductDecision::few_rows() const {
  return options.tuning.few_rows != 0 ? options.tuning.few_rows : detail::few_rows;
}

// What is read where `right` is an input that is widened at most.
SINTER_INLINE ValueId ProductDecision::right_load() const { return before_widening(form.right); }

// True if few rows can read `right` where it is.
SINTER_INLINE bool ProductDecision::reads_right() const {
  const Instruction& load = at(right_load());
  if (load.code != Code::load || !load.guards.empty()) return false;
  const DType stored = kernel.arguments[static_cast<std::size_t>(load.argument)].dtype;
  if (is_plain(right_value)) return true;
  const bool widens = stored == bf16 || stored == f16 || stored == i8;
  return widens && dtype == f32 && load.dtype == stored;
}

SINTER_INLINE ProductDecision::Method ProductDecision::few_rows_method() const {
  const bool in_order = options.strict && is_floating(dtype);
  const bool few = bounds(rows).max <= few_rows();
  if (!few || tile.lanes == 1 || in_order || !reads_right()) return Method::tiles;
  const Extent index = at(right_load()).index;
  const auto step = flat_step(index, form.depth), stride = flat_step(index, form.columns);
  if (!step || !stride) return Method::tiles;
  return same(*stride, 1) ? Method::rows : same(*step, 1) ? Method::dots : Method::tiles;
}

// How many tiles lie side by side in a panel. Each panel reads the left operand again, so wider
// panels read it less often.
SINTER_INLINE int ProductDecision::tiles_of_panel() const {
  if (tile.lanes == 1 || pairs) return 1;
  const std::int64_t all = (bounds(columns).max - 1) / tile.columns() + 1;
  const int wanted = std::max(1, detail::panel_vectors / tile.vectors);
  return static_cast<int>(std::clamp<std::int64_t>(all, 1, wanted));
}

SINTER_INLINE void ProductDecision::choose_method() {
  pitch = tile.columns() * tiles_of_panel();
  const std::int64_t high = bounds(rows).max;
  if (method == Method::rows) {
    const std::int64_t fit = detail::most_few_sums / std::max<std::int64_t>(high, 1);
    const std::int64_t wide = bounds(columns).max;
    pitch = static_cast<int>((std::min(fit, wide) + tile.lanes - 1) / tile.lanes * tile.lanes);
  } else if (method == Method::dots) {
    const auto along = is_plain(left_value) ? flat_step(at(left_value).index, form.depth)
                                            : std::optional<Extent>{};
    if (!along || !same(*along, 1)) left = Packing::rows, turns_left = false;
    dots = {static_cast<int>(std::min<std::int64_t>(high, 4)), options.vector_bits == 512 ? 6 : 2};
    pitch = 16 * dots.columns;
  }
  if (method != Method::tiles) copies_right = true;
}

// Long sums are made in blocks of about equal length.
SINTER_INLINE void ProductDecision::choose_blocks() {
  const auto size = static_cast<std::int64_t>(info(packed).size);
  const int kilobytes = options.tuning.panel_kilobytes;
  const std::int64_t panel = kilobytes != 0 ? 1024 * kilobytes : detail::panel_bytes;
  const std::int64_t most = panel / (size * pitch);
  const Extent steps = form.depth[0].extent;
  depth_blocks = bounds(depth).max > most;
  block_steps = steps;
  if (depth_blocks && depth.is_number() && inner.is_number()) {
    const std::int64_t blocks = (depth.number() + most - 1) / most;
    block_steps = std::max<std::int64_t>(1, (steps.number() + blocks - 1) / blocks);
    if (pairs) block_steps += block_steps.number() % 2;
    depth_blocks = block_steps.number() < steps.number();
  } else if (depth_blocks) {
    const int together = pairs ? 2 : 1;  // no pair is in two blocks
    block_steps = min(steps, max(floor_div(most / together, max(inner, 1)), 1) * together);
  }
  const std::int64_t deep = bounds(depth).max;
  const bool fits = deep <= detail::whole_bytes / (size * pitch);
  packs_whole = depth_blocks && (fits || kept.buffer >= 0);
  if (left != Packing::none && deep != unbounded) {
    const std::int64_t fit = detail::left_bytes / std::max<std::int64_t>(1, deep * size);
    block_rows = std::clamp(fit / detail::column_rows * detail::column_rows, detail::column_rows,
                            detail::most_block_rows);
    if (rows.is_number()) block_rows = detail::even_part(rows.number(), block_rows);
  }
  if (options.tuning.block_rows != 0) block_rows = options.tuning.block_rows;
}

SINTER_INLINE void ProductDecision::choose_lasting() {
  const std::int64_t high = bounds(rows).max;
  if (high != unbounded && high > most_rows_to_keep) return;
  if (kept.buffer < 0) lasting = steady_source(*this);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
