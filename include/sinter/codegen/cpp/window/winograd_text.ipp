#pragma once

#include <sinter/codegen/cpp/window/window_tile.hpp>
#include <sinter/codegen/cpp/window/winograd_text.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE std::string WinogradText::function(const std::string& name, Linkage linkage) {
  name_ = name;
  write_pieces();
  const LineTiles tiles{winograd_.squares_of_line(), how_.tile.rows};
  for (const int squares : tiles.heights()) write_tile(squares);
  {
    const auto body = out_.block(function_head(name, linkage));
    write_inputs();
    write_part(how_.limits().transform_cost);
    write_memory();
    write_images([&] {
      write_panels([&] { write_weights(); });
      write_squares();
      write_group();
    });
    if (how_.packed_argument >= 0) out_.line("if (packs_all) kept[1] = 1;");
  }
  return pieces_ + out_.str();
}

SINTER_INLINE std::string WinogradText::vector() const {
  return text(how_.dtype, "x", how_.tile.lanes);
}

// The function "name_tile4", for 4 squares.
SINTER_INLINE void WinogradText::write_tile(int squares) {
  WindowTile result;
  for (int i = 0; i < squares; ++i) result.rows.push_back({i, std::int64_t{i} * how_.pitch});
  result.loops.push_back({"steps", winograd_.strip_squares()});
  pieces_ += window_tile(result, how_, text(name_, "_tile", squares));
}

// Vectors of squares read beyond a line of the image, but use no such element.
SINTER_INLINE void WinogradText::write_memory() {
  const std::int64_t squares = winograd_.strip_squares(), vectors = 4 * how_.tile.lanes;
  write_scratch("strip", winograd_.staged_planes * winograd_.plane_pitch + vectors, how_.dtype);
  write_scratch("squares", 16 * winograd_.element_pitch, how_.dtype);
  write_scratch("products", winograd_.group_panels * 16 * squares * how_.pitch, how_.dtype);
  write_sum_memory(1);
  write_scratch("windows", how_.depth * how_.pitch, how_.packed);
  write_panel_memory();
}

// Packs a panel of windows of weights, and transforms it.
SINTER_INLINE void WinogradText::write_weights() {
  out_.line({type(), "* const panel = windows;"});
  write_panel();
  out_.line({"transform_weights_", vector(), "(panels + c * ", how_.panel_depth(how_.depth),
             ", panel, ", winograd_.all_planes(), ", ", how_.pitch, ");"});
}

// Stages some planes of the strip, and transforms their squares.
SINTER_INLINE void WinogradText::write_squares() {
  const std::int64_t planes = winograd_.all_planes(), squares = winograd_.strip_squares();
  const auto blocks =
      out_.block({"for (long p = 0; p < ", planes, "; p += ", winograd_.staged_planes, ")"});
  out_.line({"const long end = least(p + ", winograd_.staged_planes, ", ", planes, ");"});
  write_strip(", p, end");
  const auto each = out_.block("for (long plane = p; plane < end; ++plane)");
  out_.line({"transform_squares_", vector(), "(squares + plane * ", squares, ", ",
             winograd_.element_pitch, ", strip + (plane - p) * ", winograd_.plane_pitch, " + ",
             detail::first_element(product_.axes), ", ", product_.along().count,
             ", (last - first + 1) / 2, ", winograd_.squares_of_line(), ");"});
}

SINTER_INLINE void WinogradText::write_group() {
  const std::int64_t wide = winograd_.group_panels * how_.pitch;
  const auto groups =
      out_.block({"for (long group = part.column; group < part.columns; group += ", wide, ")"});
  out_.line({"const long end = least(group + ", wide, ", part.columns);"});
  write_products();
  const auto panels = out_.block({"for (long c = group; c < end; c += ", how_.pitch, ")"});
  out_.line({"const long width = least(part.columns - c, ", how_.pitch, ");"});
  write_points();
  write_epilogue("sums");
}

// The product of each element of the transformed squares with that of the transformed weights.
SINTER_INLINE void WinogradText::write_products() {
  const std::int64_t planes = winograd_.all_planes(), squares = winograd_.strip_squares();
  const std::int64_t line = winograd_.squares_of_line();
  const auto elements = out_.block("for (long element = 0; element < 16; ++element)");
  const auto panels = out_.block({"for (long c = group; c < end; c += ", how_.pitch, ")"});
  out_.line({type(), "* const to = products + ((c - group) * 16 + element * ", how_.pitch, ") * ",
             squares, ";"});
  const auto blocks =
      out_.block({"for (long k = 0; k < ", planes, "; k += ", winograd_.block_steps, ")"});
  out_.line({"const long steps = least(", planes, " - k, ", winograd_.block_steps, ");"});
  out_.line({"const ", type(), "* const panel = panels + (c * 16 + element * ", how_.pitch, ") * ",
             planes, " + k * ", how_.pitch, ";"});
  const auto lines = out_.block("for (long row = 0; row < (last - first + 1) / 2; ++row)");
  out_.line({"const ", type(), "* const square = squares + element * ", winograd_.element_pitch,
             " + k * ", squares, " + row * ", line, ";"});
  out_.line({type(), "* const sums_of_line = to + row * ", line * how_.pitch, ";"});
  write_line(line, "sums_of_line", "square");
}

SINTER_INLINE void WinogradText::write_points() {
  const std::int64_t squares = winograd_.strip_squares();
  out_.line({"points_of_squares_", vector(), "(sums, products + (c - group) * ", 16 * squares, ", ",
             squares * how_.pitch, ", last - first, ", product_.points(), ", ", how_.pitch, ");"});
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
