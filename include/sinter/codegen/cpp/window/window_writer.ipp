#pragma once

#include <cstddef>  // std::size_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/codegen/cpp/product/pieces.hpp>
#include <sinter/codegen/cpp/window/window_pieces.hpp>
#include <sinter/codegen/cpp/window/window_writer.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

// The loops around the lines: the batch, inside which the weights are the same, comes first.
SINTER_INLINE Vector<Loop> WindowWriter::images() const {
  Vector<Loop> result = how_.form.batch;
  for (const Loop& loop : product_.outer) result.push_back(loop);
  return result;
}

SINTER_INLINE std::string WindowWriter::strips() const {
  return text((product_.all_lines() + product_.strip_lines - 1) / product_.strip_lines);
}

SINTER_INLINE std::string WindowWriter::outer_arguments() const {
  std::string result;
  for (std::size_t i = 0; i < images().size(); ++i) result += text(", b", i);
  return result;
}

SINTER_INLINE void WindowWriter::write_pieces() {
  if (!how_.right_is_input) pieces_ += right_piece(how_, name_);
  pieces_ += strip_piece(how_, product_, name_);
  pieces_ += lines_piece(how_, product_, name_);
}

SINTER_INLINE void WindowWriter::write_inputs() {
  if (how_.packed_argument >= 0) write_packed_weights();
  if (how_.right_is_input) write_input(how_.right_value);
  for (std::size_t i = 0; i < how_.kernel.symbols.size(); ++i) {
    out_.line({"const long n", i, " = sizes[", i, "];"});
  }
}

SINTER_INLINE void WindowWriter::write_part(Extent staging) {
  const std::int64_t cost = how_.limits().packing_cost;
  const Extent points = product_.strip_lines * product_.points();
  out_.line({"const Part part({(", c(count_of(images())), ") * ", strips(), "}, {", points, ", ",
             points, ", ", staging, "}, {", how_.columns, ", ", how_.pitch, ", ",
             how_.packed_argument >= 0 ? "is_packed ? 0 : " : "", cost, "}, thread, threads);"});
  if (count_of(images()).is_number()) return;
  out_.line("if (part.batch >= part.batches) return;  // packs nothing");
}

SINTER_INLINE Extent WindowWriter::panels() const {
  return floor_div(how_.columns + (how_.pitch - 1), how_.pitch);
}

SINTER_INLINE void WindowWriter::write_panel_memory() {
  if (!how_.right_is_input) write_unpacked();
  const Extent elements = panels() * how_.pitch * how_.panel_depth(how_.depth);
  if (how_.packed_argument < 0) return write_scratch("panels", elements, how_.packed);
  write_scratch("own", elements, how_.packed);
  out_.line({type(), "* const panels = kept ? (", type(), "*)(kept + ",
             detail::packed_header_bytes / 8, ") : own;"});
}

SINTER_INLINE void WindowWriter::write_sum_memory(Extent panels) {
  const Extent points = product_.strip_lines * product_.points();
  write_scratch("sums", panels * points * how_.pitch, how_.dtype);
  write_scratch("results", points * how_.pitch, how_.dtype);
}

SINTER_INLINE void WindowWriter::write_images(Write body) {
  out_.line("long packed = -1;");
  const auto units = out_.block("for (long b = part.batch; b < part.batches; ++b)");
  write_positions(images(), product_.strip_lines == product_.all_lines() ? "b" : "b / " + strips());
  if (strips() == "1") {
    out_.line({"const long first = 0, last = ", product_.all_lines(), ";"});
  } else {
    out_.line({"const long first = b % ", strips(), " * ", product_.strip_lines,
               ", last = least(first + ", product_.strip_lines, ", ", product_.all_lines(), ");"});
  }
  body();
}

SINTER_INLINE void WindowWriter::write_panels(Write body) {
  const Extent same_weights = count_of(product_.outer);
  const std::string batch =
      how_.form.batch.empty() ? "0" : text("b / ((", c(same_weights), ") * ", strips(), ")");
  const auto packs = out_.block(
      {"if (", how_.packed_argument >= 0 ? "!is_packed && " : "", "packed != ", batch, ")"});
  out_.line({"packed = ", batch, ";"});
  const auto all =
      out_.block({"for (long c = part.column; c < part.columns; c += ", how_.pitch, ")"});
  out_.line({"const long width = least(part.columns - c, ", how_.pitch, ");"});
  body();
}

SINTER_INLINE std::string WindowWriter::all_planes() const {
  return product_.planes.empty() ? "" : text(", 0, ", product_.planes[0].extent);
}

SINTER_INLINE void WindowWriter::write_strip(const std::string& planes) {
  std::string lines;
  if (!product_.lines.empty()) {
    const std::int64_t step = product_.line_step();
    lines = text(", first * ", step, ", (last - 1) * ", step, " + ", product_.image_lines(1));
  }
  out_.line({name_, "_strip(buffers, sizes, strip", outer_arguments(), planes, lines, ");"},
            how_.at(how_.left_value).remark);
}

SINTER_INLINE void WindowWriter::write_line(std::int64_t points, const std::string& sums,
                                            const std::string& window) {
  const LineTiles tiles{points, how_.tile.rows};
  const auto write = [&](std::int64_t from, std::int64_t end, int rows) {
    if (from == end) return;
    const auto all = out_.block({"for (long x = ", from, "; x < ", end, "; x += ", rows, ")"});
    out_.line({name_, "_tile", rows, "(", sums, " + x * ", how_.pitch, ", ", window, " + x * ",
               product_.point_step(), ", panel, steps, k > 0);"},
              how_.at(how_.form.sum).remark);
  };
  write(0, tiles.points_in_high(), how_.tile.rows);
  write(tiles.points_in_high(), points, how_.tile.rows - 1);
}

SINTER_INLINE void WindowWriter::write_epilogue(const std::string& sums) {
  const std::int64_t points = product_.points();
  out_.line({"transpose_", how_.dtype, "(results, ", product_.strip_lines * points, ", ", sums,
             ", ", how_.pitch, ", (last - first) * ", points, ", width);"});
  const std::string each = joins_lines(how_, product_) ? text(" * ", points) : "";
  out_.line({name_, "_finish(buffers, sizes, ", context_argument(), "results", outer_arguments(),
             ", c, c + width", product_.lines.empty() ? "" : text(", first", each, ", last", each),
             ");"});
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
