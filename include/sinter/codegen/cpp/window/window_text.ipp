#pragma once

#include <sinter/codegen/cpp/window/window_text.hpp>
#include <sinter/codegen/cpp/window/window_tile.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE std::string WindowProductText::function(const std::string& name, Linkage linkage) {
  name_ = name;
  write_pieces();
  for (const int rows : LineTiles{product_.points(), how_.tile.rows}.heights()) write_tile(rows);
  {
    const auto body = out_.block(function_head(name, linkage));
    write_inputs();
    // To stage a point costs less than to pack a row: each element is copied once, but multiplied
    // once for each position in a window.
    const Extent points = product_.strip_lines * product_.points();
    write_part(
        floor_div(how_.limits().packing_cost * count_of(product_.planes) * product_.plane_pitch,
                  points * how_.depth));
    write_memory();
    write_images([&] {
      write_panels([&] {
        out_.line({type(), "* const panel = panels + c * ", how_.depth, ";"});
        write_panel();
      });
      product_.divides_planes() ? write_parts() : write_whole();
    });
    if (how_.packed_argument >= 0) out_.line("if (packs_all) kept[1] = 1;");
  }
  return pieces_ + out_.str();
}

// The function "name_tile6", for 6 points of a line.
SINTER_INLINE void WindowProductText::write_tile(int points) {
  WindowTile result;
  for (int i = 0; i < points; ++i) {
    result.rows.push_back({i * product_.point_step(), std::int64_t{i} * how_.pitch});
  }
  for (const Loop& loop : how_.form.depth) {
    const bool first = result.loops.empty();
    result.loops.push_back({first ? "steps" : text(loop.extent), product_.stride(loop).number()});
  }
  const Extent last = how_.form.depth.back().extent;
  result.loops.back().is_written_out =
      result.loops.size() > 1 && last.number() <= how_.limits().most_window_steps;
  pieces_ += window_tile(result, how_, text(name_, "_tile", points));
}

SINTER_INLINE void WindowProductText::write_memory() {
  write_scratch("strip", product_.strip_elements(), how_.dtype);
  write_sum_memory(product_.divides_planes() ? panels() : Extent(1));
  write_panel_memory();
}

// For each panel of columns: the sums over all planes, and the epilogue.
SINTER_INLINE void WindowProductText::write_whole() {
  write_strip(all_planes());
  for_columns([&] {
    out_.line({"const long end = ", how_.form.depth[0].extent, ";"});
    write_blocks("0");
    write_epilogue("sums");
  });
}

// For each part of the planes: sums of all columns, which are added to those so far.
SINTER_INLINE void WindowProductText::write_parts() {
  const Extent steps = how_.form.depth[0].extent;
  {
    const auto parts = out_.block(
        {"for (long part_k = 0; part_k < ", steps, "; part_k += ", product_.strip_steps, ")"});
    out_.line({"const long end = least(part_k + ", product_.strip_steps, ", ", steps, ");"});
    write_strip(", part_k, end");
    for_columns([&] { write_blocks("part_k"); });
  }
  for_columns([&] { write_epilogue(sums()); });
}

SINTER_INLINE void WindowProductText::for_columns(Write body) {
  const auto panels =
      out_.block({"for (long c = part.column; c < part.columns; c += ", how_.pitch, ")"});
  out_.line({"const long width = least(part.columns - c, ", how_.pitch, ");"});
  body();
}

// The sums of the columns from "c" on.
SINTER_INLINE std::string WindowProductText::sums() const {
  if (!product_.divides_planes()) return "sums";
  return text("sums + (c - part.column) * ", product_.strip_lines * product_.points());
}

// Accumulates sums of a strip from step `from` to "end", over one block of the depth after the
// other.
SINTER_INLINE void WindowProductText::write_blocks(const std::string& from) {
  if (product_.block_steps == product_.strip_steps) {
    out_.line({"const long k = ", from, ", steps = end - k;"});
    return write_tiles(from);
  }
  const auto blocks =
      out_.block({"for (long k = ", from, "; k < end; k += ", product_.block_steps, ")"});
  out_.line({"const long steps = least(end - k, ", product_.block_steps, ");"});
  write_tiles(from);
}

SINTER_INLINE void WindowProductText::write_tiles(const std::string& from) {
  out_.line({"const ", type(), "* const panel = panels + c * ", how_.depth, " + k * ",
             how_.inner * how_.pitch, ";"});
  const auto lines = out_.block("for (long line = 0; line < last - first; ++line)");
  out_.line({"const ", type(), "* const window = strip + ",
             product_.divides_planes() ? "(k - " + from + ")" : "k", " * ",
             product_.stride(how_.form.depth[0]), " + line * ",
             product_.line_step() * product_.along().count, " + ",
             detail::first_element(product_.axes), ";"});
  out_.line({type(), "* const to = ", sums(), " + line * ", product_.points() * how_.pitch, ";"});
  write_line(product_.points(), "to", "window");
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
