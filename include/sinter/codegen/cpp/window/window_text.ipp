#pragma once

#include <cstddef>  // std::size_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/codegen/cpp/product/pieces.hpp>
#include <sinter/codegen/cpp/window/window_pieces.hpp>
#include <sinter/codegen/cpp/window/window_text.hpp>
#include <sinter/codegen/cpp/window/window_tile.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

// The loops around the lines: the batch, inside which the weights are the same, comes first.
SINTER_INLINE Vector<Loop> WindowProductText::images() const {
  Vector<Loop> result = how_.form.batch;
  for (const Loop& loop : product_.outer) result.push_back(loop);
  return result;
}

SINTER_INLINE std::string WindowProductText::strips() const {
  return text((product_.all_lines() + product_.strip_lines - 1) / product_.strip_lines);
}

SINTER_INLINE std::string WindowProductText::function(const std::string& name, Linkage linkage) {
  name_ = name;
  if (!how_.right_is_input) pieces_ += right_piece(how_, name);
  pieces_ += strip_piece(how_, product_, name);
  pieces_ += tile(product_.tile.rows);
  if (product_.points_in_high_tiles() < product_.points()) pieces_ += tile(product_.tile.rows - 1);
  pieces_ += lines_piece(how_, product_, name);
  {
    const auto body = out_.block(function_head(name, linkage));
    if (how_.packed_argument >= 0) write_packed_weights();
    if (how_.right_is_input) write_input(how_.right_value);
    for (std::size_t i = 0; i < how_.kernel.symbols.size(); ++i) {
      out_.line({"const long n", i, " = sizes[", i, "];"});
    }
    write_part();
    write_memory();
    write_images();
    if (how_.packed_argument >= 0) out_.line("if (packs_all) kept[1] = 1;");
  }
  return pieces_ + out_.str();
}

// The function "name_tile6", for 6 points of a line.
SINTER_INLINE std::string WindowProductText::tile(int points) const {
  WindowTile result;
  for (int i = 0; i < points; ++i) {
    result.rows.push_back({i * product_.point_step(), std::int64_t{i} * how_.pitch});
  }
  for (const Loop& loop : how_.form.depth) {
    const bool first = result.loops.empty();
    result.loops.push_back({first ? "steps" : text(loop.extent), product_.stride(loop).number()});
  }
  const Extent last = how_.form.depth.back().extent;
  result.loops.back().is_written_out = last.number() <= how_.limits().most_window_steps;
  return window_tile(result, how_, text(name_, "_tile", points));
}

// Threads share strips or channels. To stage a point costs less than to pack a row: each element is
// copied once, but multiplied once for each position in a window.
SINTER_INLINE void WindowProductText::write_part() {
  const std::int64_t cost = how_.limits().packing_cost;
  const Extent points = product_.strip_lines * product_.points();
  const Extent staging = floor_div(cost * product_.strip_elements(), points * how_.depth);
  out_.line({"const Part part({(", c(count_of(images())), ") * ", strips(), "}, {", points, ", ",
             points, ", ", staging, "}, {", how_.columns, ", ", how_.pitch, ", ",
             how_.packed_argument >= 0 ? "is_packed ? 0 : " : "", cost, "}, thread, threads);"});
  if (count_of(images()).is_number()) return;
  out_.line("if (part.batch >= part.batches) return;  // packs nothing");
}

SINTER_INLINE void WindowProductText::write_memory() {
  if (!how_.right_is_input) write_unpacked();
  const Extent points = product_.strip_lines * product_.points();
  write_scratch("strip", product_.strip_elements(), how_.dtype);
  write_scratch("sums", points * how_.pitch, how_.dtype);
  write_scratch("results", points * how_.pitch, how_.dtype);
  const Extent channels = floor_div(how_.columns + (how_.pitch - 1), how_.pitch) * how_.pitch;
  if (how_.packed_argument < 0) return write_scratch("panels", channels * how_.depth, how_.packed);
  write_scratch("own", channels * how_.depth, how_.packed);
  out_.line({type(), "* const panels = kept ? (", type(), "*)(kept + ",
             detail::packed_header_bytes / 8, ") : own;"});
}

SINTER_INLINE void WindowProductText::write_images() {
  out_.line("long packed = -1;");
  const auto units = out_.block("for (long b = part.batch; b < part.batches; ++b)");
  write_positions(images(), product_.strip_lines == product_.all_lines() ? "b" : "b / " + strips());
  if (strips() == "1") {
    out_.line({"const long first = 0, last = ", product_.all_lines(), ";"});
  } else {
    out_.line({"const long first = b % ", strips(), " * ", product_.strip_lines,
               ", last = least(first + ", product_.strip_lines, ", ", product_.all_lines(), ");"});
  }
  write_panels();
  write_strip();
  const auto panels =
      out_.block({"for (long c = part.column; c < part.columns; c += ", how_.pitch, ")"});
  out_.line({"const long width = least(part.columns - c, ", how_.pitch, ");"});
  write_blocks();
  write_epilogue();
}

// Packs the weights when they change.
SINTER_INLINE void WindowProductText::write_panels() {
  const Extent same_weights = count_of(product_.outer);
  const std::string batch =
      how_.form.batch.empty() ? "0" : text("b / ((", c(same_weights), ") * ", strips(), ")");
  const auto packs = out_.block(
      {"if (", how_.packed_argument >= 0 ? "!is_packed && " : "", "packed != ", batch, ")"});
  out_.line({"packed = ", batch, ";"});
  const auto all =
      out_.block({"for (long c = part.column; c < part.columns; c += ", how_.pitch, ")"});
  out_.line({"const long width = least(part.columns - c, ", how_.pitch, ");"});
  out_.line({type(), "* const panel = panels + c * ", how_.depth, ";"});
  write_panel();
}

SINTER_INLINE std::string WindowProductText::outer_arguments() const {
  std::string result;
  for (std::size_t i = 0; i < images().size(); ++i) result += text(", b", i);
  return result;
}

SINTER_INLINE void WindowProductText::write_strip() {
  std::string lines;
  if (!product_.lines.empty()) {
    const std::int64_t step = product_.line_step();
    lines = text(", first * ", step, ", (last - 1) * ", step, " + ", product_.image_lines(1));
  }
  out_.line({name_, "_strip(buffers, sizes, strip", outer_arguments(), lines, ");"},
            how_.at(how_.left_value).remark);
}

// Accumulates the sums of a strip, over one block of the depth after the other.
SINTER_INLINE void WindowProductText::write_blocks() {
  const std::int64_t steps = how_.form.depth[0].extent.number();
  if (product_.block_steps == steps) {
    out_.line({"const long k = 0, steps = ", steps, ";"});
    return write_tiles();
  }
  const auto blocks =
      out_.block({"for (long k = 0; k < ", steps, "; k += ", product_.block_steps, ")"});
  out_.line({"const long steps = least(", steps, " - k, ", product_.block_steps, ");"});
  write_tiles();
}

SINTER_INLINE void WindowProductText::write_tiles() {
  out_.line({"const ", type(), "* const panel = panels + c * ", how_.depth, " + k * ",
             how_.inner * how_.pitch, ";"});
  const auto lines = out_.block("for (long line = 0; line < last - first; ++line)");
  out_.line({"const ", type(), "* const window = strip + k * ", product_.stride(how_.form.depth[0]),
             " + line * ", product_.line_step() * product_.along().count, " + ",
             detail::first_element(product_.axes), ";"});
  out_.line({type(), "* const to = sums + line * ", product_.points() * how_.pitch, ";"});
  const auto tiles = [&](std::int64_t from, std::int64_t to, int rows) {
    if (from == to) return;
    const auto all = out_.block({"for (long x = ", from, "; x < ", to, "; x += ", rows, ")"});
    out_.line({name_, "_tile", rows, "(to + x * ", how_.pitch, ", window + x * ",
               product_.point_step(), ", panel, steps, k > 0);"},
              how_.at(how_.form.sum).remark);
  };
  tiles(0, product_.points_in_high_tiles(), product_.tile.rows);
  tiles(product_.points_in_high_tiles(), product_.points(), product_.tile.rows - 1);
}

SINTER_INLINE void WindowProductText::write_epilogue() {
  const std::int64_t points = product_.points();
  out_.line({"transpose_", how_.dtype, "(results, ", product_.strip_lines * points, ", sums, ",
             how_.pitch, ", (last - first) * ", points, ", width);"});
  const std::string each = joins_lines(how_, product_) ? text(" * ", points) : "";
  out_.line({name_, "_finish(buffers, sizes, ", context_argument(), "results", outer_arguments(),
             ", c, c + width", product_.lines.empty() ? "" : text(", first", each, ", last", each),
             ");"});
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
