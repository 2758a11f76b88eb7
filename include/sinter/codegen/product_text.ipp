#pragma once

#include <algorithm>  // std::any_of, std::min

#include <sinter/codegen/product_text.hpp>
#include <sinter/symbol/extent_text.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE std::string ProductText::function(const std::string& name, Linkage linkage) {
  name_ = name;
  if (left_ != Packing::none && !turns_left_) write_left_piece();
  if (!copies_right_) write_right_piece();
  write_finish_piece();
  if (keeps()) write_pack();
  {
    const auto body = out_.block(function_head(name, linkage));
    if (lasting_ >= 0) write_lasting();
    write_sizes();
    write_memory();
    write_batch();
    if (lasting_ >= 0) out_.line("if (packs_all) kept[1] = 1;");
  }
  return pieces_ + out_.str();
}

SINTER_INLINE std::string ProductText::c(Extent extent) const {
  return c_text(extent, [&](Extent variable) {
    for (const auto& [known, name] : names_) {
      if (same(known, variable)) return name;
    }
    throw InternalError(text("codegen: ", variable, " is no variable of this product"));
  });
}

SINTER_INLINE std::string ProductText::argument_name(std::int32_t argument) const {
  return text("in", argument);
}

SINTER_INLINE void ProductText::write_input(ValueId id) {
  const schedule::Argument& input = kernel_.arguments[static_cast<std::size_t>(at(id).argument)];
  const auto stored = memory_type(input.dtype);
  out_.line(text("const ", stored, "* const ", argument_name(at(id).argument), " = (const ", stored,
                 "*)buffers[", at(id).argument, "];"),
            at(id).remark);
}

SINTER_INLINE void ProductText::write_sizes() {
  const bool reads_left = left_ == Packing::none || turns_left_;
  for (const bool is_left : {true, false}) {
    const ValueId id = is_left ? left_value_ : right_load();
    if (!(is_left ? reads_left : copies_right_)) continue;
    if (!is_left && reads_left && at(id).argument == at(left_value_).argument) continue;
    write_input(id);
  }
  for (std::size_t i = 0; i < kernel_.symbols.size(); ++i) {
    out_.line(text("const long n", i, " = sizes[", i, "];"));
  }
  write_part();
  if (rows_.is_number() && count_of(form_.batch).is_number()) return;
  out_.line("if (part.batch >= part.batches || part.row >= part.rows) return;  // packs nothing");
}

// What this thread does.
SINTER_INLINE void ProductText::write_part() {
  if (by_columns_) {
    const std::string columns = text("share(", c(columns_), ", ", column_step(), ", thread");
    return out_.line(text("const struct { long batch, batches, row, rows, column, columns; } part",
                          " = {0, ", c(count_of(form_.batch)), ", 0, ", c(rows_), ", ", columns,
                          ", threads), ", columns, " + 1, threads)};"));
  }
  const std::string cost = text(packing_cost);
  const std::string left = left_ == Packing::none ? "0" : cost;
  const std::string right = method_ == Method::tiles ? cost : "0";
  out_.line(text("const Part part({", c(count_of(form_.batch)), "}, {", c(rows_), ", ", tile_.rows,
                 ", ", left, "}, {", c(columns_), ", ", column_step(), ", ",
                 lasting_ >= 0 ? "is_packed ? 0 : " : "", right, "}, thread, threads);"));
}

SINTER_INLINE void ProductText::write_scratch(const std::string& name, Extent elements,
                                              DType dtype) {
  const auto size = static_cast<std::int64_t>(info(dtype).size);
  const std::string_view type = memory_type(dtype);
  if (elements.is_number() && elements.number() * size <= detail::panel_bytes) {
    return out_.line(text("alignas(64) ", type, " ", name, "[", elements, "];"));
  }
  out_.line(text("const Scratch memory_", name, "(", c(elements), " * (long)sizeof(", type, "));"));
  out_.line(text(type, "* const ", name, " = (", type, "*)memory_", name, ".place(memory_", name,
                 ".heap ? nullptr : __builtin_alloca_with_align(memory_", name, ".bytes, 512));"));
}

// Memory for what `right` computes before it is put into a panel.
SINTER_INLINE void ProductText::write_unpacked() {
  if (right_ == Packing::rows) write_scratch("columns", depth_ * 4, packed_);
  if (right_ == Packing::columns && pairs_) {
    write_scratch("rows", (keeps() ? depth_ : deepest_panel()) * pitch_, packed_);
  }
}

SINTER_INLINE void ProductText::write_memory() {
  const Extent block = min(rows_ + (detail::column_rows - 1), block_rows_);
  if (left_ != Packing::none) write_scratch("block", block * block_pitch_, packed_);
  if (left_ == Packing::turned && !turns_left_) {
    write_scratch("left", turned_steps_ * inner_ * detail::column_rows, packed_);
  }
  if (!copies_right_) write_unpacked();
  if (method_ != Method::tiles) {
    const std::int64_t most = (std::min(bounds(rows_).max, few_rows()) + 3) / 4 * 4;
    return write_scratch("sums", most * pitch_, dtype_);
  }
  write_scratch(keeps() || lasting_ >= 0 ? "own" : "panel", panel_depth(deepest_panel()) * pitch_,
                packed_);
  const std::int64_t kept = depth_blocks_ ? detail::sum_rows : 0;
  write_scratch("sums", Extent(kept + tile_.rows) * pitch_, dtype_);
}

SINTER_INLINE std::string ProductText::batch_arguments() const {
  std::string result;
  for (std::size_t i = 0; i < form_.batch.size(); ++i) result += text(", b", i);
  return result;
}

SINTER_INLINE void ProductText::write_batch() {
  const auto batch = out_.block("for (long b = part.batch; b < part.batches; ++b)");
  Extent inner = count_of(form_.batch);
  for (std::size_t i = 0; i < form_.batch.size(); ++i) {
    const Loop& loop = form_.batch[i];
    inner = count_of({form_.batch.begin() + static_cast<std::ptrdiff_t>(i) + 1, form_.batch.end()});
    out_.line(text("const long b", i, " = b", same(inner, 1) ? "" : text(" / (", c(inner), ")"),
                   i == 0 ? "" : text(" % (", c(loop.extent), ")"), ";"));
    names_.emplace_back(loop.variable, text("b", i));
  }
  left_ != Packing::none ? write_row_blocks() : write_panels();
}

SINTER_INLINE void ProductText::write_row_blocks() {
  const auto block = out_.block(
      text("for (long first = part.row; first < part.rows; first += ", block_rows_, ")"));
  out_.line(text("const long last = least(first + ", block_rows_, ", part.rows);"));
  write_left();
  write_panels();
}

SINTER_INLINE void ProductText::write_panels() {
  const auto panels =
      out_.block(text("for (long c = part.column; c < part.columns; c += ", pitch_, ")"));
  out_.line(text("const long width = least(part.columns - c, ", pitch_, ");"));
  if (method_ != Method::tiles) return write_few_rows();
  if (lasting_ >= 0) {
    write_lasting_panel();
  } else if (!packs_by_parts()) {
    keeps() ? write_kept_panel() : write_panel();
  }
  if (depth_blocks_) return write_depth_blocks();
  write_tiles(first_row(), last_row());
}

// Sums of so many rows as are kept at once, of a part of the depth after the other.
SINTER_INLINE void ProductText::write_depth_blocks() {
  const auto rows = out_.block(text("for (long top = ", first_row(), "; top < ", last_row(),
                                    "; top += ", detail::sum_rows, ")"));
  out_.line(text("const long bottom = least(top + ", detail::sum_rows, ", ", last_row(), ");"));
  const std::string steps = c(form_.depth[0].extent);
  out_.line("long k = 0;");
  {
    const auto block = out_.block("for (bool more = true; more;)");
    out_.line(text("const long next = least(k + (", c(block_steps_), "), ", steps, ");"));
    if (packs_by_parts()) write_panel();
    write_tiles("top", "bottom");
    out_.line("k = next;");
    out_.line(text("more = k < ", steps, ";"));
  }
}

SINTER_INLINE void ProductText::write_tiles(const std::string& first, const std::string& last) {
  const auto tiles =
      out_.block(text("for (long r = ", first, "; r < ", last, "; r += ", tile_.rows, ")"));
  out_.line(text("const long height = least(", last, " - r, ", tile_.rows, ");"));
  write_prefetches();
  write_tile();
  if (!depth_blocks_) return write_finish();
  const auto whole = out_.block(text("if (next == ", c(form_.depth[0].extent), ")"));
  write_finish();
}

// "multiply_6x4_f32x16", or a choice of such names.
SINTER_INLINE std::string ProductText::multiply(const std::string& width) const {
  const auto name = [&](int rows, int vectors) {
    const bool rounds = options_.strict && is_floating(dtype_);
    return text("multiply_",
                squares_ ? "squares_"
                : pairs_ ? "pairs_"
                : rounds ? "rounded_"
                         : "",
                rows, "x", vectors, "_", dtype_, tile_.lanes > 1 ? text("x", tile_.lanes) : "");
  };
  std::string result = name(tile_.rows, tile_.vectors);
  if (tile_.rest_rows > 0) {
    result = text("height > ", tile_.rest_rows, " ? ", result, " : ",
                  name(tile_.rest_rows, tile_.vectors));
  }
  if (tile_.rest_vectors > 0) {
    result = text(width, " <= ", tile_.rest_vectors * tile_.lanes, " ? ",
                  name(tile_.rows, tile_.rest_vectors), " : ", result);
  }
  return result;
}

// "dots_4x6", or "even_dots_4x6" or "short_dots_4x6", whose texts take less time to compile.
SINTER_INLINE std::string ProductText::dots() const {
  const bool is_known = depth_.is_number() && depth_.number() <= most_even_depth;
  const std::string_view form = !is_known                            ? ""
                                : depth_.number() % tile_.lanes == 0 ? "even_"
                                : depth_.number() < tile_.lanes      ? "short_"
                                                                     : "";
  return text(form, "dots_", dots_.rows, "x", dots_.columns);
}

// "multiply_dots_4x6_bf16_f32x16"
SINTER_INLINE std::string ProductText::few_rows_helper() const {
  const Instruction& load = at(right_load());
  const DType stored = kernel_.arguments[static_cast<std::size_t>(load.argument)].dtype;
  return text("multiply_", method_ == Method::dots ? dots() : "rows",
              stored == dtype_ ? "" : text("_", stored), "_", dtype_, "x", tile_.lanes);
}

SINTER_INLINE void ProductText::write_few_rows() {
  out_.line(text("const long r = ", first_row(), ";"));
  out_.line(text("const long height = ", last_row(), " - r;"));
  out_.line("if (height <= 0) break;");
  const Extent index = at(right_load()).index;
  const bool dots = method_ == Method::dots;
  const std::string left = left_address();
  const std::string stride = c(*flat_step(index, dots ? form_.columns : form_.depth));
  out_.line(text(few_rows_helper(), "(sums, ", pitch_, ", ", left, ", height, ", right_address(),
                 ", ", stride, ", width, ", c(depth_), ");"),
            at(form_.sum).remark);
  write_finish();
}

// Prefetches what the finish of the tile touches, while its sums are computed.
SINTER_INLINE void ProductText::write_prefetches() {
  if (prefetched_.empty()) return;
  const Names names = names_;
  names_.emplace_back(form_.rows[0].variable, "r");
  names_.emplace_back(form_.columns[0].variable, "c");
  std::string condition;
  if (depth_blocks_) condition = text("if (next == ", c(form_.depth[0].extent), ") ");
  for (const PrefetchedRows& rows : prefetched_) {
    const DType dtype = kernel_.arguments[static_cast<std::size_t>(rows.argument)].dtype;
    const std::string_view type = memory_type(dtype);
    const auto size = static_cast<std::int64_t>(info(dtype).size);
    out_.line(text(condition, rows.is_written ? "prefetch_rows_to_write" : "prefetch_rows",
                   "((const ", type, "*)buffers[", rows.argument, "] + ", c(rows.index),
                   ", height, ", c(rows.stride * size), ", width * ", size, ");"));
  }
  names_ = names;
}

SINTER_INLINE void ProductText::write_tile() {
  if (pitch_ == tile_.columns()) return write_multiply("", "width");
  const auto tiles =
      out_.block(text("for (long column = 0; column < width; column += ", tile_.columns(), ")"));
  write_multiply(" + column", "width - column");
}

SINTER_INLINE void ProductText::write_multiply(std::string_view column, const std::string& width) {
  const std::string pitch = text(pitch_);
  const std::string deep = depth_blocks_ ? text("(next - k) * (", c(inner_), ")") : c(depth_);
  out_.line(text("const auto multiply = ", multiply(width), ";"));
  out_.line(text("multiply(sums", depth_blocks_ ? text(" + (r - top) * ", pitch) : "", column, ", ",
                 pitch, ", ", left_address(), ", height, panel",
                 packs_whole_ ? text(" + k * (", c(inner_ * pitch_), ")") : "", column, ", ", pitch,
                 ", ", deep, ", ", depth_blocks_ ? "k > 0" : "false", ");"),
            at(form_.sum).remark);
}

SINTER_INLINE void ProductText::write_finish() {
  const std::string pitch = text(pitch_);
  const bool checks = std::any_of(kernel_.instructions.begin(), kernel_.instructions.end(),
                                  [](const Instruction& one) { return schedule::can_fault(one); });
  const std::string_view context = checks ? "context, " : "";
  const std::string tile = depth_blocks_ ? text("sums + (r - top) * ", pitch) : "sums";
  for_runs(form_.rows, "r", "r + height", "row",
           [&](const std::string& rows, const std::string& down) {
             for_runs(form_.columns, "c", "c + width", "column",
                      [&](const std::string& columns, const std::string& along) {
                        out_.line(text(name_, "_finish(buffers, sizes, ", context, tile,
                                       down.empty() ? "" : text(" + ", down, " * ", pitch),
                                       along.empty() ? "" : text(" + ", along), batch_arguments(),
                                       rows, columns, ");"));
                      });
           });
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
