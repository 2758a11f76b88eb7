#pragma once
// Decides how a matrix product is computed: its register tiles, packing, and blocks.

#include <algorithm>  // std::clamp, std::max, std::min
#include <cstddef>    // std::ptrdiff_t, std::size_t
#include <cstdint>    // std::int32_t, std::int64_t, std::uint8_t

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/product/tile.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

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

/// Bytes before the panels that are kept between calls, which say whether the panels are packed.
inline constexpr std::int64_t packed_header_bytes = 64;

// True if vectors along the last of `loops` pay.
inline bool fills_vectors(const Vector<Loop>& loops) {
  return bounds(loops.back().extent).max >= 8;
}

// The size of equal blocks of about `wanted` of `all` rows, at most `most`: each block packs the
// panels again.
inline std::int64_t even_block(std::int64_t all, std::int64_t wanted, std::int64_t most) {
  const std::int64_t blocks = std::max<std::int64_t>(1, (all + wanted / 2) / wanted);
  const std::int64_t rows = (all + blocks - 1) / blocks;
  return std::clamp((rows + column_rows - 1) / column_rows * column_rows, column_rows, most);
}

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
                  SharedPanels panels = {}, bool by_columns = false)
      : kernel(whole),
        form(product),
        options(choices),
        shared(panels),
        shares_columns(by_columns),
        dtype(detail::accumulated_as(at(form.sum).dtype)),
        tile(tile_size(dtype, count_of(form.rows), count_of(form.columns), options)),
        packed(dtype),
        left_value(before_unrounded_casts(form.left)),
        right_value(before_unrounded_casts(form.right)),
        rows(count_of(form.rows)),
        columns(count_of(form.columns)),
        depth(count_of(form.depth)),
        rows_per_block(choices.target.cpp.rows_per_block) {
    for (std::size_t i = 1; i < form.depth.size(); ++i) inner *= form.depth[i].extent;
    method = few_rows_method();
    if (can_use_bf16_dot()) {
      uses_bf16_dot = true;
      packed = bf16;
      left_value = before_widening(form.left);
      right_value = before_widening(form.right);
      uses_amx = options.target.vectors.has_amx && options.tuning.tile_rows == 0;
      if (uses_amx) tile.rows = 16, tile.rest_rows = 0;
    }
    choose_left();
    choose_right();
    choose_method();
    // An odd number of cache lines, so that rows spread over all sets of a cache.
    const int line = uses_bf16_dot ? 32 : 16;
    block_pitch = floor_div(depth + (line - 1), 2 * line) * (2 * line) + line;
    if (method == Method::tiles) choose_blocks(), choose_packed_argument();
  }

  const Instruction& at(ValueId id) const {
    return kernel.instructions[static_cast<std::size_t>(id)];
  }

  /// An operand before its conversion to the type of the sums, if that is all that is done to it.
  ValueId before_widening(ValueId id) const { return codegen::before_widening(kernel, id, dtype); }

  /// An operand before the conversions to 16 bits and back that autocast inserted, which need not
  /// round unless numerics are strict.
  ValueId before_unrounded_casts(ValueId id) const {
    ValueId from = id;
    const auto is_short = [](DType type) { return type == f16 || type == bf16; };
    if (options.strict || dtype != f32) return id;
    while (at(from).code == Code::compute && at(from).op == Op::cast &&
           at(from).constant.bits == 0 && (is_short(at(from).dtype) || at(from).dtype == dtype)) {
      from = at(from).operands[0];
    }
    return at(from).dtype == dtype ? from : id;
  }

  // The load of `right`, if that is an input that is at most widened.
  ValueId right_load() const { return before_widening(right_value); }

  bool lies_along(ValueId id, const Vector<Loop>& loops, std::int64_t apart = 1) const {
    return detail::lies_along(kernel, id, loops, apart);
  }

  /// The largest number of rows for which panels do not pay.
  std::int64_t few_rows() const {
    return options.tuning.few_rows != 0 ? options.tuning.few_rows : limits().few_rows;
  }

  bool packs_by_depth_blocks() const { return depth_blocks && !packs_all_depth_blocks; }

  /// Whether tiles prefetch packed weights: those that stream through the L2 cache, for few rows.
  bool prefetches_weights() const {
    if (packed_argument < 0 || uses_bf16_dot || pitch != tile.columns()) return false;
    const auto size = static_cast<std::int64_t>(info(dtype).size);
    const bool streams = bounds(columns * depth).max > options.target.caches.l2 / 2 / size;
    return streams && (bounds(rows).max == unbounded ||
                       bounds(rows).max <= limits().most_rows_with_prefetching);
  }
  Extent deepest_panel() const {
    return packs_all_depth_blocks ? depth : max(block_steps * inner, 1);
  }
  /// The depth of a micro-panel in memory, which is the same for all calls that share it.
  Extent micro_panel_depth() const { return shared.buffer >= 0 ? shared.depth : deepest_panel(); }
  /// The stride of columns that are contiguous along the depth before they are packed.
  Extent column_pitch() const { return packs_by_depth_blocks() ? deepest_panel() : depth; }

  /// The number of all steps along the depth.
  Extent steps() const {
    return count_of(
        {form.depth.begin(), form.depth.begin() + static_cast<std::ptrdiff_t>(step_loops)});
  }

  /// The depth of a panel in memory.
  Extent panel_depth(Extent deep) const {
    if (transforms_panels) return floor_div(deep * 16, 9);
    return uses_bf16_dot ? floor_div(deep + 1, 2) * 2 : deep;
  }
  /// Whether the caller may keep its panels.
  bool has_shared_panels() const { return shared.buffer >= 0 && method == Method::tiles; }
  const schedule::CppLimits& limits() const { return options.target.cpp; }

  /// The call-invariant argument whose panels are worth keeping between calls; -1 if there is none.
  std::int32_t call_invariant_argument() const {
    if (!columns.is_number() || !depth.is_number() || packs_by_depth_blocks()) return -1;
    if (options.tuning != Tuning{}) return -1;  // tuned kernels do not share panels
    const std::int32_t source = source_of_right();
    if (source < 0) return -1;
    const schedule::Argument& argument = kernel.arguments[source];
    const auto size = static_cast<std::int64_t>(info(argument.dtype).size);
    const bool small =
        argument.elements.is_number() &&
        packed_input_of(source).bytes <= 2 * argument.elements.number() * size + (1 << 16);
    return small ? source : -1;
  }

  /// The packed input of the argument `source`, without its key; empty for -1.
  schedule::PackedInput packed_input_of(std::int32_t source) const {
    if (source < 0) return {};
    const std::int64_t panels = (columns.number() + pitch - 1) / pitch;
    const std::int64_t elements = panels * pitch * panel_depth(depth).number();
    std::int32_t buffer = 0;
    for (std::int32_t i = 0; i < source; ++i) {
      buffer += kernel.arguments[i].access != Access::local;
    }
    return {.input = buffer,
            .bytes = detail::packed_header_bytes +
                     elements * static_cast<std::int64_t>(info(packed).size)};
  }

  /// The number of elements of the panels that a caller keeps.
  Extent shared_panel_elements() const {
    return floor_div(shared.columns + (pitch - 1), pitch) * pitch * panel_depth(shared.depth);
  }

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
  ValueId left_value, right_value;  ///< What is packed.
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
  Extent inner = 1;             ///< The part of `depth` in one step.
  Extent block_steps = 0;       ///< Steps in a block, which is a part of the last of these loops.
  Extent transposed_steps = 0;  ///< Steps that are transposed at a time.
  std::int32_t packed_argument = -1;  ///< Whose panels are kept between calls; -1: none.
  std::int64_t rows_per_block = 0;    ///< Rows of `left` that are packed at a time.

 private:
  // True for an input whose elements have the type of panels.
  bool is_plain(ValueId id) const {
    return at(id).code == Code::load && at(id).guards.empty() && at(id).dtype == packed &&
           kernel.arguments[static_cast<std::size_t>(at(id).argument)].dtype == packed;
  }

  /// Whether both operands are bf16 and may be multiplied in pairs along the depth. That requires
  /// that neither the order of sums nor the rounding of each product matters.
  bool can_use_bf16_dot() const {
    const auto is_bf16 = [&](ValueId id) { return at(before_widening(id)).dtype == bf16; };
    const schedule::VectorUnit& vectors = options.target.vectors;
    return vectors.has_bf16_dot && !options.strict && vectors.bits == 512 &&
           method == Method::tiles && dtype == f32 && is_bf16(form.left) && is_bf16(form.right);
  }

  /// True if rows of `left` that are read in place evict each other from the L1 cache, and there
  /// are enough columns to pay for a packed copy.
  bool packs_conflicting_rows() const {
    if (tile.lanes == 1 || !detail::fills_vectors(form.depth)) return false;
    const auto step = flat_step(at(left_value).index, form.rows);
    const auto size = static_cast<std::int64_t>(info(packed).size);
    const std::int64_t least_columns = limits().vectors_for_packing * tile.lanes;
    return tile.rows > 1 && step && step->is_number() && columns.is_number() &&
           step->number() * size % options.target.caches.l1_way == 0 &&
           columns.number() >= least_columns;
  }

  void choose_left() {
    if (is_plain(left_value) && flat_step(at(left_value).index, form.rows)) {
      const auto step = flat_step(at(left_value).index, form.depth);
      const bool few = !uses_bf16_dot && bounds(columns).max <= tile.columns();  // read once anyway
      if (step && (same(*step, 1) || few) && !packs_conflicting_rows()) return;
    }
    const bool along_depth =
        lies_along(left_value, form.depth) && detail::fills_vectors(form.depth);
    left = !along_depth && lies_along(left_value, form.rows) ? Packing::columns : Packing::rows;
    const std::int64_t deep = bounds(depth).max;
    const auto size = static_cast<std::int64_t>(info(dtype).size) * detail::column_rows;
    const bool is_large =
        uses_bf16_dot || deep == unbounded || deep * size > limits().most_column_bytes;
    if (left != Packing::columns || tile.lanes == 1 || !is_large) return;
    left = Packing::transposed;
    const Extent together = max(floor_div(limits().transposed_columns, max(inner, 1)), 1);
    transposed_steps = min(form.depth[0].extent, together);
    const auto step = flat_step(at(left_value).index, form.rows);
    transposes_input = is_plain(left_value) && step && same(*step, 1) &&
                       flat_step(at(left_value).index, form.depth);
  }

  void choose_right() {
    const bool along_columns = lies_along(right_value, form.columns);
    const auto flat =
        is_plain(right_value) ? flat_step(at(right_value).index, form.depth) : Optional<Extent>{};
    const bool is_run = flat && same(*flat, 1) && bounds(depth).max >= 8;
    const bool along_depth =
        lies_along(right_value, form.depth, 2) && (is_run || detail::fills_vectors(form.depth));
    const bool in_rows = !along_depth || (along_columns && detail::fills_vectors(form.columns));
    right = in_rows ? Packing::columns : Packing::rows;
    if (!is_plain(right_value) || (in_rows && !uses_bf16_dot)) return;
    const auto step = flat_step(at(right_value).index, in_rows ? form.columns : form.depth);
    right_is_input = step && same(*step, 1) &&
                     flat_step(at(right_value).index, in_rows ? form.depth : form.columns);
  }

  Method few_rows_method() const {
    const bool in_order = options.strict && is_floating(dtype);
    const bool few = bounds(rows).max <= few_rows();
    if (!few || tile.lanes == 1 || in_order || !can_read_right_in_place()) return Method::tiles;
    const Extent index = at(right_load()).index;
    const auto step = flat_step(index, form.depth), stride = flat_step(index, form.columns);
    if (!step || !stride) return Method::tiles;
    return same(*stride, 1) ? Method::rows : same(*step, 1) ? Method::dots : Method::tiles;
  }

  // The number of tiles side by side in a panel. Each panel reads the left operand again, so wider
  // panels read it less often.
  int tiles_of_panel() const {
    if (tile.lanes == 1 || uses_bf16_dot) return 1;
    const std::int64_t all = (bounds(columns).max - 1) / tile.columns() + 1;
    const int tile_bytes = tile.columns() * static_cast<int>(info(packed).size);
    const int wanted = std::max(1, limits().panel_row_bytes / tile_bytes);
    return static_cast<int>(std::clamp<std::int64_t>(all, 1, wanted));
  }

  void choose_method() {
    pitch = tile.columns() * tiles_of_panel();
    const std::int64_t high = bounds(rows).max;
    if (method == Method::rows) {
      const std::int64_t fit = limits().few_sums / std::max<std::int64_t>(high, 1);
      const std::int64_t wide = bounds(columns).max;
      pitch = static_cast<int>((std::min(fit, wide) + tile.lanes - 1) / tile.lanes * tile.lanes);
    } else if (method == Method::dots) {
      const auto along =
          is_plain(left_value) ? flat_step(at(left_value).index, form.depth) : Optional<Extent>{};
      if (!along || !same(*along, 1)) left = Packing::rows, transposes_input = false;
      const bool many_registers = options.target.vectors.bits == 512;
      dots = {static_cast<int>(std::min<std::int64_t>(high, 4)),
              many_registers ? limits().dot_columns : limits().dot_columns_of_few_registers};
      pitch = 16 * dots.columns;
    }
    if (method != Method::tiles) right_is_input = true;
    const bool by_fours = tile.columns() % 4 == 0;  // as columns are transposed
    micro_pitch = method == Method::tiles && !uses_bf16_dot && by_fours ? tile.columns() : pitch;
  }

  /// Counts iterations of further loops of the depth as steps until a step has at most a quarter of
  /// `most` elements. Pairs of bf16, and rows that are transposed several steps at a time, keep the
  /// steps of the first loop.
  void choose_steps(std::int64_t most) {
    if (left == Packing::transposed || uses_bf16_dot) return;
    while (step_loops < form.depth.size() && inner.is_number() && 4 * inner.number() > most) {
      const Extent& extent = form.depth[step_loops].extent;
      if (!extent.is_number() || extent.number() == 0) return;
      inner = inner.number() / extent.number();
      ++step_loops;
    }
  }

  // Reads rows in place that are contiguous only in runs, such as images or their lines, if every
  // block lies within one. Packing them for the whole depth would take as much memory as all
  // images.
  void choose_left_by_blocks() {
    if (left != Packing::rows || !depth_blocks || !is_plain(left_value) || uses_bf16_dot) return;
    const Extent index = at(left_value).index;
    if (!flat_step(index, form.rows)) return;
    if (flat_step(index, form.depth)) return;  // rows that are packed because they conflict
    const auto is_affine = [&](const Loop& loop) {
      return coefficient_of(index, loop.variable).has_value();
    };
    if (!all_of(form.depth, is_affine)) return;
    const auto is_contiguous_from = [&](std::size_t loop) {
      const auto step = flat_step(
          index, {form.depth.begin() + static_cast<std::ptrdiff_t>(loop), form.depth.end()});
      return step && same(*step, 1);
    };
    const bool is_long = inner.is_number() && inner.number() >= limits().fewest_block_elements;
    const bool whole = is_contiguous_from(step_loops - 1);
    if (!whole && !(is_long && is_contiguous_from(step_loops))) return;
    if (!whole) block_steps = 1;
    left_by_blocks = true;
    left = Packing::none;
  }

  // A large depth is split into blocks of about equal length.
  void choose_blocks() {
    const auto size = static_cast<std::int64_t>(info(packed).size);
    const int kilobytes = options.tuning.panel_kilobytes;
    const std::int64_t panel = kilobytes != 0 ? 1024 * kilobytes : limits().panel_bytes;
    const std::int64_t most = panel / (size * pitch);
    depth_blocks = bounds(depth).max > most;
    if (depth_blocks) choose_steps(most);
    const Extent steps = form.depth[step_loops - 1].extent;
    block_steps = steps;
    if (depth_blocks && steps.is_number() && inner.is_number()) {
      const std::int64_t run = steps.number() * inner.number(), blocks = (run + most - 1) / most;
      block_steps = std::max<std::int64_t>(1, (steps.number() + blocks - 1) / blocks);
      if (uses_bf16_dot) block_steps += block_steps.number() % 2;
      depth_blocks = step_loops > 1 || block_steps.number() < steps.number();
    } else if (depth_blocks) {
      const int together = uses_bf16_dot ? 2 : 1;  // no pair straddles two blocks
      block_steps = min(steps, max(floor_div(most / together, max(inner, 1)), 1) * together);
    }
    const std::int64_t deep = bounds(depth).max;
    const bool fits = deep <= limits().whole_panel_bytes / (size * pitch);
    packs_all_depth_blocks = depth_blocks && (fits || shared.buffer >= 0);
    // Panels that neither more rows nor later calls read again need not be whole.
    if (packs_all_depth_blocks && shared.buffer < 0 && bounds(rows).max <= limits().sum_rows) {
      packs_all_depth_blocks = call_invariant_argument() >= 0;
    }
    choose_left_by_blocks();
    if (left != Packing::none && deep != unbounded) {
      const std::int64_t fit = limits().row_block_bytes / std::max<std::int64_t>(1, deep * size);
      const std::int64_t most_rows = limits().most_rows_per_block;
      rows_per_block = std::clamp(fit / detail::column_rows * detail::column_rows,
                                  detail::column_rows, most_rows);
      if (rows.is_number())
        rows_per_block = detail::even_block(rows.number(), rows_per_block, most_rows);
    }
    if (options.tuning.row_tile != 0) rows_per_block = options.tuning.row_tile;
  }

  void choose_packed_argument() {
    const std::int64_t high = bounds(rows).max;
    if (high != unbounded && high > limits().most_rows_to_cache) return;
    if (shared.buffer < 0) packed_argument = call_invariant_argument();
  }

  // Whether a product of few rows can read `right` without packing it.
  bool can_read_right_in_place() const {
    const Instruction& load = at(right_load());
    if (load.code != Code::load || !load.guards.empty()) return false;
    const DType stored = kernel.arguments[static_cast<std::size_t>(load.argument)].dtype;
    if (is_plain(right_value)) return true;
    const bool widens = stored == bf16 || stored == f16 || stored == i8;
    return widens && dtype == f32 && load.dtype == stored;
  }

  // The only argument that `right` is computed from, if it is call-invariant and `right` is the
  // same for the whole batch; else -1.
  std::int32_t source_of_right() const {
    std::int32_t result = -1;
    for (const ValueId id : detail::sources_of(kernel, right_value)) {
      const Instruction& one = kernel.instructions[id];
      if (one.code == Code::random) return -1;
      for (const Extent extent : extents_of(one)) {
        const auto depends = [&](const Loop& loop) { return depends_on(extent, loop.variable); };
        if (any_of(form.batch, depends)) return -1;
        for (const Extent variable : variables(extent)) {
          if (variable.is_symbol()) return -1;
        }
      }
      if (one.code != Code::load) continue;
      if (result >= 0 && result != one.argument) return -1;
      if (!kernel.arguments[one.argument].call_invariant) return -1;
      result = one.argument;
    }
    return result;
  }
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
