#pragma once
// Writes a matrix product: operands packed into panels that fit in the caches, tiles of sums that
// stay in registers, and an epilogue while the sums are in a near cache.

#include <algorithm>    // std::min
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::move, std::pair

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/cpp/product/helper_names.hpp>
#include <sinter/codegen/cpp/product/pieces.hpp>
#include <sinter/codegen/cpp/product/product_writer.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/extent/text.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class ProductText final : private ProductWriter {
 public:
  /// With `by_columns`, threads share the columns, and nothing else.
  ProductText(const Kernel& kernel, const ProductForm& form, const CppOptions& options,
              SharedPanels shared = {}, bool by_columns = false)
      : ProductWriter(ProductDecision(kernel, form, options, shared, by_columns)) {}

  /// The text of the function `name`, after those that it calls. If the caller keeps the panels,
  /// one of these is `name`_pack(buffers, sizes), which packs them; by columns, it takes `thread`
  /// and `threads` too, and packs those of one thread.
  std::string function(const std::string& name, Linkage linkage = Linkage::exported) {
    name_ = name;
    if (how_.left != Packing::none && !how_.transposes_input) pieces_ += left_piece(how_, name_);
    if (!how_.right_is_input) pieces_ += right_piece(how_, name_);
    EpiloguePiece epilogue = epilogue_piece(how_, name);
    pieces_ += epilogue.text;
    prefetched_ = std::move(epilogue.prefetched);
    if (how_.has_shared_panels()) write_pack();
    {
      const auto body = out_.block(function_head(name, linkage));
      if (how_.packed_argument >= 0) write_packed_weights();
      write_sizes();
      write_memory();
      write_batch();
      if (how_.packed_argument >= 0) out_.line("if (packs_all) kept[1] = 1;");
    }
    return pieces_ + out_.str();
  }

  /// Whether the caller may keep its panels, and their number of elements.
  bool has_shared_panels() const { return how_.has_shared_panels(); }
  Extent shared_panel_elements() const { return how_.shared_panel_elements(); }
  /// How many columns stay with one thread.
  int column_step() const { return how_.column_step(); }
  using ProductWriter::packed_input;
  /// The same for a caller that keeps and packs the panels itself.
  schedule::PackedInput caller_packed_input() const {
    return with_key(how_.packed_input_of(how_.call_invariant_argument()));
  }
  DType panel_dtype() const { return how_.packed; }

 private:
  std::string first_row() const { return how_.left == Packing::none ? "part.row" : "first"; }
  std::string last_row() const { return how_.left == Packing::none ? "part.rows" : "last"; }

  // Prefetches what the epilogue of the tile accesses, while its sums are computed.
  void write_prefetches() {
    if (prefetched_.empty()) return;
    const Names names = names_;
    names_.emplace_back(how_.form.rows[0].variable, "r");
    names_.emplace_back(how_.form.columns[0].variable, "c");
    std::string condition;
    if (how_.depth_blocks) condition = text("if (next == ", c(how_.steps()), ") ");
    for (const PrefetchedRows& rows : prefetched_) {
      const DType dtype = how_.kernel.arguments[static_cast<std::size_t>(rows.argument)].dtype;
      const std::string_view type = memory_type(dtype);
      const auto size = static_cast<std::int64_t>(info(dtype).size);
      out_.line({condition, rows.is_written ? "prefetch_rows_to_write" : "prefetch_rows",
                 "((const ", type, "*)buffers[", rows.argument, "] + ", c(rows.index), ", height, ",
                 c(rows.stride * size), ", width * ", size, ");"});
    }
    names_ = names;
  }

  void write_sizes() {
    const bool reads_left = how_.left == Packing::none || how_.transposes_input;
    for (const bool is_left : {true, false}) {
      const ValueId id = is_left ? how_.left_value : how_.right_load();
      if (!(is_left ? reads_left : how_.right_is_input)) continue;
      if (!is_left && reads_left && how_.at(id).argument == how_.at(how_.left_value).argument)
        continue;
      write_input(id);
    }
    codegen::write_sizes(out_, how_.kernel.symbols.size());
    write_part();
    if (how_.rows.is_number() && count_of(how_.form.batch).is_number()) return;
    out_.line("if (part.batch >= part.batches || part.row >= part.rows) return;  // packs nothing");
  }

  // Declares the part of the product that this thread computes.
  void write_part() {
    if (how_.shares_columns) {
      const std::string columns =
          text("share(", c(how_.columns), ", ", how_.column_step(), ", thread");
      return out_.line({"const struct { long batch, batches, row, rows, column, columns; } part",
                        " = {0, ", c(count_of(how_.form.batch)), ", 0, ", c(how_.rows), ", ",
                        columns, ", threads), ", columns, " + 1, threads)};"});
    }
    const std::string cost = text(how_.limits().packing_cost);
    const std::string left = how_.left == Packing::none ? "0" : cost;
    const std::string right = how_.method == Method::tiles ? cost : "0";
    out_.line({"const Part part({", c(count_of(how_.form.batch)), "}, {", c(how_.rows), ", ",
               how_.tile.rows, ", ", left, "}, {", c(how_.columns), ", ", how_.column_step(), ", ",
               how_.packed_argument >= 0 ? "is_packed ? 0 : " : "", right, "}, thread, threads);"});
  }

  // Writes the function that packs all panels, each as deep as the largest product.
  void write_pack() {
    {
      const auto body = out_.block({"static __attribute__((noinline)) void ", name_,
                                    "_pack(void* const* buffers, const long* sizes",
                                    how_.shares_columns ? ", long thread, long threads)" : ")"});
      if (how_.right_is_input) write_input(how_.right_value);
      codegen::write_sizes(out_, how_.kernel.symbols.size());
      if (!how_.right_is_input) write_unpacked();
      const std::string share = text("share(", c(how_.columns), ", ", how_.pitch, ", thread");
      if (how_.shares_columns) out_.line({"const long last = ", share, " + 1, threads);"});
      const std::string first = how_.shares_columns ? share + ", threads)" : "0";
      const std::string last = how_.shares_columns ? "last" : c(how_.columns);
      const auto panels =
          out_.block({"for (long c = ", first, "; c < ", last, "; c += ", how_.pitch, ")"});
      out_.line({"const long width = least(", last, " - c, ", how_.pitch, ");"});
      out_.line({type(), "* const panel = (", type(), "*)buffers[", how_.shared.buffer, "] + c * (",
                 c(how_.panel_depth(how_.shared.depth)), ");"});
      write_panel();
    }
    pieces_ += out_.str();
    out_ = Writer();
  }

  // Declares the current panel: the one that the caller keeps, or one that is packed here.
  void write_shared_panel() {
    const std::string kept = text("((", type(), "*)buffers[", how_.shared.buffer, "])");
    out_.line({type(), "* const panel = ", kept, " ? ", kept, " + c * (",
               c(how_.panel_depth(how_.shared.depth)), ") : own;"});
    const auto block = out_.block("if (panel == own)");
    write_panel();
  }

  void write_memory() {
    const Extent block = min(how_.rows + (detail::column_rows - 1), how_.rows_per_block);
    if (how_.left != Packing::none) write_scratch("block", block * how_.block_pitch, how_.packed);
    if (how_.left == Packing::transposed && !how_.transposes_input) {
      write_scratch("left", how_.transposed_steps * how_.inner * detail::column_rows, how_.packed);
    }
    if (!how_.right_is_input) write_unpacked();
    if (how_.method != Method::tiles) {
      const std::int64_t most = (std::min(bounds(how_.rows).max, how_.few_rows()) + 3) / 4 * 4;
      return write_scratch("sums", most * how_.pitch, how_.dtype);
    }
    write_scratch(how_.has_shared_panels() || how_.packed_argument >= 0 ? "own" : "panel",
                  how_.panel_depth(how_.micro_panel_depth()) * how_.pitch, how_.packed);
    const std::int64_t kept = how_.depth_blocks ? how_.limits().sum_rows : 0;
    write_scratch("sums", Extent(kept + how_.tile.rows) * how_.pitch, how_.dtype);
  }

  void write_packed_weight_panel() {
    out_.line({type(), "* const panel = kept ? (", type(), "*)(kept + ",
               detail::packed_header_bytes / 8, ") + c * (", how_.panel_depth(how_.depth),
               ") : own;"});
    const auto packs = out_.block("if (!is_packed)");
    write_panel();
  }

  void write_batch() {
    const auto batch = out_.block("for (long b = part.batch; b < part.batches; ++b)");
    write_positions(how_.form.batch, "b");
    how_.left != Packing::none ? write_row_blocks() : write_panels();
  }

  void write_row_blocks() {
    const auto block = out_.block(
        text("for (long first = part.row; first < part.rows; first += ", how_.rows_per_block, ")"));
    out_.line({"const long last = least(first + ", how_.rows_per_block, ", part.rows);"});
    write_left();
    write_panels();
  }

  void write_panels() {
    const auto panels =
        out_.block({"for (long c = part.column; c < part.columns; c += ", how_.pitch, ")"});
    out_.line({"const long width = least(part.columns - c, ", how_.pitch, ");"});
    if (how_.method != Method::tiles) return write_few_rows();
    if (how_.packed_argument >= 0) {
      write_packed_weight_panel();
    } else if (!how_.packs_by_depth_blocks()) {
      how_.has_shared_panels() ? write_shared_panel() : write_panel();
    }
    if (how_.depth_blocks) return write_depth_blocks();
    write_tiles(first_row(), last_row());
  }

  // Accumulates some rows of sums at a time, over one block of the depth after the other.
  void write_depth_blocks() {
    const auto rows = out_.block({"for (long top = ", first_row(), "; top < ", last_row(),
                                  "; top += ", how_.limits().sum_rows, ")"});
    out_.line({"const long bottom = least(top + ", how_.limits().sum_rows, ", ", last_row(), ");"});
    const std::string steps = c(how_.steps());
    out_.line("long k = 0;");
    {
      const auto block = out_.block("for (bool more = true; more;)");
      const std::string run = c(how_.form.depth[how_.step_loops - 1].extent);
      out_.line(
          {"const long next = least(k + (", c(how_.block_steps), "), ",
           how_.step_loops == 1 ? steps : text("least(k - k % ", run, " + ", run, ", ", steps, ")"),
           ");"});
      if (how_.packs_by_depth_blocks()) write_panel();
      write_tiles("top", "bottom");
      out_.line("k = next;");
      out_.line({"more = k < ", steps, ";"});
    }
  }

  void write_tiles(const std::string& first, const std::string& last) {
    const auto tiles =
        out_.block({"for (long r = ", first, "; r < ", last, "; r += ", how_.tile.rows, ")"});
    out_.line({"const long height = least(", last, " - r, ", how_.tile.rows, ");"});
    write_prefetches();
    write_tile();
    if (!how_.depth_blocks) return write_epilogue();
    const auto whole = out_.block({"if (next == ", c(how_.steps()), ")"});
    write_epilogue();
  }

  void write_tile() {
    if (how_.pitch == how_.tile.columns()) return write_multiply("", "width");
    const auto tiles = out_.block(
        text("for (long column = 0; column < width; column += ", how_.tile.columns(), ")"));
    write_multiply(" + column", "width - column");
  }

  void write_multiply(std::string_view column, const std::string& width) {
    const std::string pitch = text(how_.pitch);
    const std::string deep =
        how_.depth_blocks ? text("(next - k) * (", c(how_.inner), ")") : c(how_.depth);
    out_.line({"const auto multiply = ", tile_helper(how_, width), ";"});
    out_.line(
        text("multiply(sums", how_.depth_blocks ? text(" + (r - top) * ", pitch) : "", column, ", ",
             pitch, ", ", left_address(), ", height, panel",
             how_.packs_all_depth_blocks ? text(" + k * (", c(how_.inner * how_.micro_pitch), ")")
                                         : "",
             column,
             how_.micro_pitch == how_.pitch ? "" : text(" * (", c(how_.micro_panel_depth()), ")"),
             ", ", how_.micro_pitch, ", ", deep, ", ", how_.depth_blocks ? "k > 0" : "false",
             how_.prefetches_weights() ? ", " + weights_ahead() : "", ");"),
        how_.at(how_.form.sum).remark);
  }

  // The address from which a tile prefetches. The first 16 tiles together prefetch the packed
  // weights behind those of this block. See multiply_tile().
  std::string weights_ahead() const {
    const std::string first = how_.depth_blocks ? "top" : "(" + first_row() + ")";
    const std::string next = how_.depth_blocks ? text("next * (", c(how_.inner * how_.pitch), ")")
                                               : c(how_.depth * how_.pitch);
    const Extent sixteenth = floor_div(how_.inner * how_.pitch, 16);
    const std::string part = how_.depth_blocks ? text("(next - k) * (", c(sixteenth), ")")
                                               : c(floor_div(how_.depth * how_.pitch, 16));
    return text("is_packed && r - ", first, " < ", 16 * how_.tile.rows, " ? (const char*)(panel + ",
                next, " + (r - ", first, ") / ", how_.tile.rows, " * (", part, ")) : nullptr");
  }

  void write_few_rows() {
    out_.line({"const long r = ", first_row(), ";"});
    out_.line({"const long height = ", last_row(), " - r;"});
    out_.line("if (height <= 0) break;");
    const Extent index = how_.at(how_.right_load()).index;
    const bool dots = how_.method == Method::dots;
    const std::string left = left_address();
    const std::string stride = c(*flat_step(index, dots ? how_.form.columns : how_.form.depth));
    out_.line({few_rows_helper(how_), "(sums, ", how_.pitch, ", ", left, ", height, ",
               right_address(), ", ", stride, ", width, ", c(how_.depth), ");"},
              how_.at(how_.form.sum).remark);
    write_epilogue();
  }

  void write_epilogue() {
    const std::string pitch = text(how_.pitch);
    const std::string context = context_argument();
    const std::string tile = how_.depth_blocks ? text("sums + (r - top) * ", pitch) : "sums";
    for_runs(how_.form.rows, "r", "r + height", "row",
             [&](const std::string& rows, const std::string& down) {
               for_runs(how_.form.columns, "c", "c + width", "column",
                        [&](const std::string& columns, const std::string& along) {
                          out_.line({name_, "_finish(buffers, sizes, ", context, tile,
                                     down.empty() ? "" : text(" + ", down, " * ", pitch),
                                     along.empty() ? "" : text(" + ", along), batch_arguments(),
                                     rows, columns, ");"});
                        });
             });
  }

  void write_left() {
    const auto call = [&](const std::string& arguments, const std::string& where) {
      out_.line({name_, "_left(buffers, sizes, ", where, batch_arguments(), arguments, ");"},
                how_.at(how_.left_value).remark);
    };
    if (how_.left == Packing::rows) {
      return for_runs(how_.form.rows, "first", "last", "row",
                      [&](const std::string& arguments, const std::string& offset) {
                        call(arguments,
                             text("block", offset.empty() ? "" : " + ", offset,
                                  offset.empty() ? "" : text(" * (", c(how_.block_pitch), ")")));
                      });
    }
    const auto columns =
        out_.block({"for (long from = first; from < last; from += ", detail::column_rows, ")"});
    out_.line({"const long to = least(from + ", detail::column_rows, ", last);"});
    if (how_.left == Packing::transposed) return write_transposed_left();
    for_runs(how_.form.rows, "from", "to", "row",
             [&](const std::string& arguments, const std::string& offset) {
               call(arguments, text("block + (from - first) * (", c(how_.depth), ")",
                                    offset.empty() ? "" : " + ", offset));
             });
  }

  // Transposes rows `from` to `to` of the block.
  void write_transposed_left() {
    const auto transpose = [&](const std::string& along, const std::string& from,
                               const std::string& step, const std::string& columns) {
      out_.line({"transpose_", how_.uses_bf16_dot ? "u16" : text(how_.dtype),
                 "(block + (from - first) * (", c(how_.block_pitch), ")", along, ", ",
                 c(how_.block_pitch), ", ", from, ", ", step, ", ", columns, ", to - from);"},
                how_.at(how_.left_value).remark);
    };
    if (how_.transposes_input) {
      const Extent index = how_.at(how_.left_value).index;
      const Extent base = detail::start_of(index, how_.form.rows, how_.form.depth);
      const std::string start = same(base, 0) ? "" : text(" + ", c(base));
      return transpose("", text(argument_name(how_.at(how_.left_value).argument), start, " + from"),
                       c(*flat_step(index, how_.form.depth)), c(how_.depth));
    }
    const std::string steps = c(how_.form.depth[0].extent), inner = c(how_.inner);
    const auto blocks =
        out_.block({"for (long k = 0; k < ", steps, "; k += ", c(how_.transposed_steps), ")"});
    out_.line({"const long next = least(k + ", c(how_.transposed_steps), ", ", steps, ");"});
    for_runs(how_.form.rows, "from", "to", "row",
             [&](const std::string& arguments, const std::string& offset) {
               const auto [before, last] = detail::split_last(arguments);
               out_.line({name_, "_left(buffers, sizes, left", offset.empty() ? "" : " + ", offset,
                          batch_arguments(), before, ", k, next", last, ");"},
                         how_.at(how_.left_value).remark);
             });
    transpose(text(" + k * (", inner, ")"), "left", text(detail::column_rows),
              text("(next - k) * (", inner, ")"));
  }

  // "in0 + 64*r, 64, 1": the rows of a tile, their stride, and the stride along the depth unless it
  // is always 1.
  std::string left_address() const {
    const bool along = how_.uses_bf16_dot || how_.method == Method::dots;
    const std::string from = how_.depth_blocks ? text(" + k * (", c(how_.inner), ")") : "";
    if (how_.left == Packing::columns) {
      const std::string n = text(detail::column_rows);
      const std::string step = from.empty() ? "" : text(from, " * ", n);
      return text("block + (r - first) / ", n, " * ", n, " * (", c(how_.depth),
                  ") + (r - first) % ", n, step, ", 1, ", n);
    }
    if (how_.left != Packing::none) {
      return text("block + (r - first) * (", c(how_.block_pitch), ")", from, ", ",
                  c(how_.block_pitch), along ? "" : ", 1");
    }
    const Extent index = how_.at(how_.left_value).index;
    const Extent base = detail::start_of(index, how_.form.rows, how_.form.depth);
    const std::string row = c(*flat_step(index, how_.form.rows));
    const std::string start = text(argument_name(how_.at(how_.left_value).argument),
                                   same(base, 0) ? "" : text(" + ", c(base)),
                                   how_.form.rows.empty() ? "" : text(" + r * (", row, ")"));
    if (how_.left_by_blocks) return text(start, block_offset(index), ", ", row, ", 1");
    const std::string step = c(*flat_step(index, how_.form.depth));
    return text(start, from.empty() ? "" : text(from, " * (", step, ")"), ", ", row,
                along ? "" : text(", ", step));
  }

  // " + (k / 56) * (200704) + (k % 56) * (56)": how far step `k` of the depth moves `index`.
  std::string block_offset(Extent index) const {
    std::string result;
    const Vector<std::string> position = position_of_step();
    for (std::size_t i = 0; i < how_.step_loops; ++i) {
      const Extent stride = *coefficient_of(index, how_.form.depth[i].variable);
      result += text(" + (", position[i], ") * (", c(stride), ")");
    }
    return result;
  }

  Vector<PrefetchedRows> prefetched_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
