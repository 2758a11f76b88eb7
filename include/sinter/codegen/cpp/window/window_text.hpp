#pragma once
// Writes a product of windows: strips of the image in the L2 cache, blocks of weights in the L1
// cache, sums in registers, and an epilogue along the lines. By Winograd's algorithm, there are
// transformed input tiles of a strip, 16 products with transformed weights, and the output
// transform.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <string>   // std::string

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/function_ref.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/product/pieces.hpp>
#include <sinter/codegen/cpp/product/product_writer.hpp>
#include <sinter/codegen/cpp/window/window_pieces.hpp>
#include <sinter/codegen/cpp/window/window_product.hpp>
#include <sinter/codegen/cpp/window/window_tile.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class WindowProductText final : private ProductWriter {
 public:
  /// Refers to `kernel` and `product`.
  WindowProductText(const Kernel& kernel, const WindowProduct& product, const CppOptions& options)
      : ProductWriter(weights_of(kernel, product, options)), product_(product) {}

  /// The text of the function `name`, after those that it calls.
  std::string function(const std::string& name, Linkage linkage = Linkage::exported) {
    name_ = name;
    if (!how_.right_is_input) pieces_ += right_piece(how_, name);
    pieces_ += strip_piece(how_, product_, name);
    for (const int rows : LineTiles{line_rows(), how_.tile.rows}.heights()) pieces_ += tile(rows);
    pieces_ += lines_piece(how_, product_, name);
    {
      const auto body = out_.block(function_head(name, linkage));
      if (how_.packed_argument >= 0) write_packed_weights();
      if (how_.right_is_input) write_input(how_.right_value);
      write_sizes(out_, how_.kernel.symbols.size());
      write_part();
      write_memory();
      write_images();
      if (how_.packed_argument >= 0) out_.line("if (packs_all) kept[1] = 1;");
    }
    return pieces_ + out_.str();
  }

  using ProductWriter::packed_input;

 private:
  using Write = FunctionRef<void()>;

  // The loops around the lines: the batch, inside which the weights are the same, comes first.
  Vector<Loop> images() const {
    Vector<Loop> result = how_.form.batch;
    for (const Loop& loop : product_.outer) result.push_back(loop);
    return result;
  }

  std::string strips() const {
    return text((product_.all_lines() + product_.strip_lines - 1) / product_.strip_lines);
  }

  std::string outer_arguments() const {
    std::string result;
    for (std::size_t i = 0; i < images().size(); ++i) result += text(", b", i);
    return result;
  }

  Extent panels() const { return floor_div(how_.columns + (how_.pitch - 1), how_.pitch); }

  // Images in a strip.
  std::int64_t strip_images() const { return product_.winograd ? product_.winograd->images : 1; }

  // The rows of the products of a line.
  std::int64_t line_rows() const {
    return product_.winograd ? product_.line_tiles() : product_.points();
  }

  // The function "name_tile6", for 6 points or output tiles of a line.
  std::string tile(int rows) const {
    const std::int64_t step = product_.winograd ? 1 : product_.point_step();
    WindowTile result;
    for (int i = 0; i < rows; ++i) result.rows.push_back({i * step, std::int64_t{i} * how_.pitch});
    if (product_.winograd) {
      result.loops.push_back({"steps", product_.strip_tiles()});
      return window_tile(result, how_, text(name_, "_tile", rows));
    }
    for (const Loop& loop : how_.form.depth) {
      const bool first = result.loops.empty();
      result.loops.push_back({first ? "steps" : text(loop.extent), product_.stride(loop).number()});
    }
    const Extent last = how_.form.depth.back().extent;
    result.loops.back().is_written_out =
        result.loops.size() > 1 && last.number() <= how_.limits().most_window_steps;
    return window_tile(result, how_, text(name_, "_tile", rows));
  }

  // The sums of the columns from "c" on.
  std::string sums() const {
    if (!product_.divides_planes()) return "sums";
    return text("sums + (c - part.column) * ", product_.strip_lines * product_.points());
  }

  // Threads share strips or channels. To stage a point costs less than to pack a row: each element
  // is copied once, but multiplied once for each position in a window.
  void write_part() {
    const std::int64_t cost = how_.limits().packing_cost;
    const Extent points = strip_images() * product_.strip_lines * product_.points();
    const Extent planes = count_of(product_.planes) * product_.plane_pitch;
    const Extent staging = product_.winograd ? Extent(how_.limits().transform_cost)
                                             : floor_div(cost * planes, points * how_.depth);
    const std::int64_t more = strip_images() - 1;
    out_.line({"const Part part({(", c(floor_div(count_of(images()) + more, more + 1)), ") * ",
               strips(), "}, {", points, ", ", points, ", ", staging, "}, {", how_.columns, ", ",
               how_.pitch, ", ", how_.packed_argument >= 0 ? "is_packed ? 0 : " : "", cost,
               "}, thread, threads);"});
    if (count_of(images()).is_number()) return;
    out_.line("if (part.batch >= part.batches) return;  // packs nothing");
  }

  void write_memory() {
    if (product_.winograd) {
      write_winograd_memory();
    } else {
      write_scratch("strip", product_.strip_elements(), how_.dtype);
    }
    const Extent points = product_.strip_lines * product_.points();
    const Extent kept = product_.divides_planes() ? panels() : Extent(1);
    write_scratch("sums", kept * points * how_.pitch, how_.dtype);
    write_scratch("results", points * how_.pitch, how_.dtype);
    if (!how_.right_is_input) write_unpacked();
    const Extent elements = panels() * how_.pitch * how_.panel_depth(how_.depth);
    if (how_.packed_argument < 0) return write_scratch("panels", elements, how_.packed);
    write_scratch("own", elements, how_.packed);
    out_.line({type(), "* const panels = kept ? (", type(), "*)(kept + ",
               detail::packed_header_bytes / 8, ") : own;"});
  }

  void write_images() {
    out_.line("long packed = -1;");
    const auto units = out_.block("for (long b = part.batch; b < part.batches; ++b)");
    if (strip_images() > 1) {
      out_.line({"const long images = least(", count_of(images()), " - b * ", strip_images(), ", ",
                 strip_images(), ");"});
    } else {
      write_positions(images(),
                      product_.strip_lines == product_.all_lines() ? "b" : "b / " + strips());
    }
    if (strips() == "1") {
      out_.line({"const long first = 0, last = ", product_.all_lines(), ";"});
    } else {
      out_.line({"const long first = b % ", strips(), " * ", product_.strip_lines,
                 ", last = least(first + ", product_.strip_lines, ", ", product_.all_lines(),
                 ");"});
    }
    write_panels();
    if (product_.winograd) {
      for_images([&] { write_input_tiles(); });
      write_groups();
    } else if (product_.divides_planes()) {
      write_parts();
    } else {
      write_whole();
    }
  }

  // Packs the weights when they change.
  void write_panels() {
    const Extent same_weights = count_of(product_.outer);
    const std::string batch =
        how_.form.batch.empty() ? "0" : text("b / ((", c(same_weights), ") * ", strips(), ")");
    const auto packs = out_.block(
        {"if (", how_.packed_argument >= 0 ? "!is_packed && " : "", "packed != ", batch, ")"});
    out_.line({"packed = ", batch, ";"});
    for_columns([&] {
      if (product_.winograd) return write_winograd_weights();
      out_.line({type(), "* const panel = panels + c * ", how_.depth, ";"});
      write_panel();
    });
  }

  void for_columns(Write body, const std::string& first = "part.column",
                   const std::string& last = "part.columns") {
    const auto panels =
        out_.block({"for (long c = ", first, "; c < ", last, "; c += ", how_.pitch, ")"});
    out_.line({"const long width = least(", last, " - c, ", how_.pitch, ");"});
    body();
  }

  // Stages planes; `planes` are those of the first loop, ", from, to", if there is one.
  void write_strip(const std::string& planes) {
    std::string lines;
    if (!product_.lines.empty()) {
      const std::int64_t step = product_.line_step();
      lines = text(", first * ", step, ", (last - 1) * ", step, " + ", product_.image_lines(1));
    }
    out_.line({name_, "_strip(buffers, sizes, strip", outer_arguments(), planes, lines, ");"},
              how_.at(how_.left_value).remark);
  }

  // For each panel of columns: the sums over all planes, and the epilogue.
  void write_whole() {
    write_strip(product_.planes.empty() ? "" : text(", 0, ", product_.planes[0].extent));
    for_columns([&] {
      out_.line({"const long end = ", how_.form.depth[0].extent, ";"});
      write_blocks("0");
      write_epilogue();
    });
  }

  // For each part of the planes: sums of all columns, which are added to those so far.
  void write_parts() {
    const Extent steps = how_.form.depth[0].extent;
    {
      const auto parts = out_.block(
          {"for (long part_k = 0; part_k < ", steps, "; part_k += ", product_.strip_steps, ")"});
      out_.line({"const long end = least(part_k + ", product_.strip_steps, ", ", steps, ");"});
      write_strip(", part_k, end");
      for_columns([&] { write_blocks("part_k"); });
    }
    for_columns([&] { write_epilogue(); });
  }

  // Accumulates sums of a strip from step `from` to "end", over one block of the depth after the
  // other.
  void write_blocks(const std::string& from) {
    if (product_.block_steps == product_.strip_steps) {
      out_.line({"const long k = ", from, ", steps = end - k;"});
      return write_tiles(from);
    }
    const auto blocks =
        out_.block({"for (long k = ", from, "; k < end; k += ", product_.block_steps, ")"});
    out_.line({"const long steps = least(end - k, ", product_.block_steps, ");"});
    write_tiles(from);
  }

  void write_tiles(const std::string& from) {
    out_.line({"const ", type(), "* const panel = panels + c * ", how_.depth, " + k * ",
               how_.inner * how_.pitch, ";"});
    const auto each = out_.block({"for (long line = 0; line < ", lines(), "; ++line)"});
    out_.line({"const ", type(), "* const window = strip + ",
               product_.divides_planes() ? "(k - " + from + ")" : "k", " * ",
               product_.stride(how_.form.depth[0]), " + line * ",
               product_.line_step() * product_.along().count, " + ",
               detail::first_element(product_.axes), ";"});
    out_.line({type(), "* const to = ", sums(), " + line * ", product_.points() * how_.pitch, ";"});
    write_line("to", "window");
  }

  // The lines of a strip: of points, or of Winograd's tiles.
  std::string lines() const {
    if (!product_.winograd) return "(last - first)";
    return text(strip_images() == 1 ? "" : "images * ", "((last - first + 1) / 2)");
  }

  // Prefetches the share that a tile of `points` points has in the weights behind this block.
  void write_prefetch(int points) {
    if (how_.packed_argument < 0) return;
    const std::int64_t row = product_.winograd ? how_.pitch : how_.inner.number() * how_.pitch;
    const auto size = static_cast<std::int64_t>(info(how_.packed).size);
    const std::int64_t line = line_rows();
    out_.line({"if (is_packed) prefetch_part(panel + steps * ", row, ", steps * ", row * size,
               ", line * ", line, " + x, ", points, ", ", lines(), " * ", line, ");"});
  }

  // Calls the tiles of a line: "name_tile4(sums, window, panel, steps, k > 0)".
  void write_line(const std::string& sums, const std::string& window) {
    const LineTiles tiles{line_rows(), how_.tile.rows};
    const std::int64_t step = product_.winograd ? 1 : product_.point_step();
    const auto write = [&](std::int64_t from, std::int64_t end, int rows) {
      if (from == end) return;
      const auto all = out_.block({"for (long x = ", from, "; x < ", end, "; x += ", rows, ")"});
      write_prefetch(rows);
      out_.line({name_, "_tile", rows, "(", sums, " + x * ", how_.pitch, ", ", window, " + x * ",
                 step, ", panel, steps, k > 0);"},
                how_.at(how_.form.sum).remark);
    };
    write(0, tiles.points_in_high(), how_.tile.rows);
    write(tiles.points_in_high(), line_rows(), how_.tile.rows - 1);
  }

  // Finishes the columns from "c" on.
  void write_epilogue() {
    const std::int64_t points = product_.points();
    out_.line({"transpose_", how_.dtype, "(results, ", product_.strip_lines * points, ", ", sums(),
               ", ", how_.pitch, ", (last - first) * ", points, ", width);"});
    const std::string each = joins_lines(how_, product_) ? text(" * ", points) : "";
    out_.line({name_, "_finish(buffers, sizes, ", context_argument(), "results", outer_arguments(),
               ", c, c + width",
               product_.lines.empty() ? "" : text(", first", each, ", last", each), ");"});
  }

  // By Winograd's algorithm: see winograd.hpp.
  std::string vector() const { return text(how_.dtype, "x", how_.tile.lanes); }

  // " + image * 512": where the elements of an image begin, `elements` for each tile.
  std::string image_offset(std::int64_t elements) const {
    return strip_images() == 1 ? "" : text(" + image * ", product_.image_tiles() * elements);
  }

  // For each of the images of a strip.
  void for_images(Write body) {
    if (strip_images() == 1) return body();
    const auto images_of_strip = out_.block("for (long image = 0; image < images; ++image)");
    write_positions(images(), text("(b * ", strip_images(), " + image)"));
    body();
  }

  // Vectors of input tiles read beyond a line of the image, but use no such element.
  void write_winograd_memory() {
    const std::int64_t tiles = product_.strip_tiles(), vectors = 4 * how_.tile.lanes;
    write_scratch("strip", product_.winograd->staged_planes * product_.plane_pitch + vectors,
                  how_.dtype);
    write_scratch("tiles", 16 * product_.winograd->element_pitch, how_.dtype);
    write_scratch("products", product_.winograd->group_panels * 16 * tiles * how_.pitch,
                  how_.dtype);
    write_scratch("windows", how_.depth * how_.pitch, how_.packed);
  }

  // Packs a panel of windows of weights, and transforms it.
  void write_winograd_weights() {
    out_.line({type(), "* const panel = windows;"});
    write_panel();
    out_.line({"winograd_weights_", vector(), "(panels + c * ", how_.panel_depth(how_.depth),
               ", panel, ", product_.planes[0].extent, ", ", how_.pitch, ");"});
  }

  // Stages some planes of the strip, and transforms their input tiles.
  void write_input_tiles() {
    const Extent planes = product_.planes[0].extent;
    const auto blocks = out_.block(
        {"for (long p = 0; p < ", planes, "; p += ", product_.winograd->staged_planes, ")"});
    out_.line(
        {"const long end = least(p + ", product_.winograd->staged_planes, ", ", planes, ");"});
    write_strip(", p, end");
    const auto each = out_.block("for (long plane = p; plane < end; ++plane)");
    out_.line({"winograd_input_", vector(), "(tiles", image_offset(1), " + plane * ",
               product_.strip_tiles(), ", ", product_.winograd->element_pitch,
               ", strip + (plane - p) * ", product_.plane_pitch, " + ",
               detail::first_element(product_.axes), ", ", product_.along().count,
               ", (last - first + 1) / 2, ", product_.line_tiles(), ");"});
  }

  void write_groups() {
    const std::int64_t wide = product_.winograd->group_panels * how_.pitch;
    const auto groups =
        out_.block({"for (long group = part.column; group < part.columns; group += ", wide, ")"});
    out_.line({"const long end = least(group + ", wide, ", part.columns);"});
    write_products();
    const auto finish = [&] {
      write_outputs();
      write_epilogue();
    };
    for_columns([&] { for_images(finish); }, "group", "end");
  }

  // The product of each element of the input tiles with that of the transformed weights.
  void write_products() {
    const std::int64_t tiles = product_.strip_tiles();
    const Extent planes = product_.planes[0].extent;
    const std::int64_t line = product_.line_tiles();
    const auto elements = out_.block("for (long element = 0; element < 16; ++element)");
    const auto panels = out_.block({"for (long c = group; c < end; c += ", how_.pitch, ")"});
    out_.line({type(), "* const to = products + ((c - group) * 16 + element * ", how_.pitch, ") * ",
               tiles, ";"});
    const auto blocks =
        out_.block({"for (long k = 0; k < ", planes, "; k += ", product_.block_steps, ")"});
    out_.line({"const long steps = least(", planes, " - k, ", product_.block_steps, ");"});
    out_.line({"const ", type(), "* const panel = panels + (c * 16 + element * ", how_.pitch,
               ") * ", planes, " + k * ", how_.pitch, ";"});
    const auto each = out_.block({"for (long line = 0; line < ", lines(), "; ++line)"});
    out_.line({"const ", type(), "* const row = tiles + element * ",
               product_.winograd->element_pitch, " + k * ", tiles, " + line * ", line, ";"});
    out_.line({type(), "* const line_sums = to + line * ", line * how_.pitch, ";"});
    write_line("line_sums", "row");
  }

  void write_outputs() {
    const std::int64_t tiles = product_.strip_tiles();
    out_.line({"winograd_output_", vector(), "(sums, products + (c - group) * ", 16 * tiles,
               image_offset(how_.pitch), ", ", tiles * how_.pitch, ", last - first, ",
               product_.points(), ", ", how_.pitch, ");"});
  }

  const WindowProduct& product_;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
