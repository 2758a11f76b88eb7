#pragma once
// Writes a sum over all windows of images: blocks of lines, whose images are staged in the L2 cache
// and whose gradients in the L1 cache; sums in registers; an epilogue behind the last block.

#include <algorithm>  // std::max, std::min
#include <cstdint>    // std::int64_t
#include <string>     // std::string

#include <sinter/base/container/algorithm.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/product/pieces.hpp>
#include <sinter/codegen/cpp/product/product_writer.hpp>
#include <sinter/codegen/cpp/window/gradient_pieces.hpp>
#include <sinter/codegen/cpp/window/window_gradient.hpp>
#include <sinter/codegen/cpp/window/window_tile.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// The channels whose epilogue is computed at a time: results that stay in the L1 cache.
inline std::int64_t epilogue_channels(const WindowGradient& product, const ProductDecision& how) {
  const auto size = static_cast<std::int64_t>(info(how.dtype).size);
  const std::int64_t rows = how.options.target.caches.l1 / 2 / size / how.pitch;
  return std::clamp<std::int64_t>(rows / product.positions(), 1, product.all_channels());
}

}  // namespace detail

class WindowGradientText final : private ProductWriter {
 public:
  /// Refers to `kernel` and `product`.
  WindowGradientText(const Kernel& kernel, const WindowGradient& product, const CppOptions& options)
      : ProductWriter(panels_of(kernel, product, options)), product_(product) {}

  /// The text of the function `name`, after those that it calls.
  std::string function(const std::string& name, Linkage linkage = Linkage::exported) {
    name_ = name;
    const std::int64_t pitch = detail::epilogue_channels(product_, how_) * product_.positions();
    pieces_ = image_strip_piece(how_, product_, name) + gradient_lines_piece(how_, product_, name) +
              tiles() + rows_piece(how_, product_, pitch, name);
    {
      const auto body = out_.block(function_head(name, linkage));
      write_sizes(out_, how_.kernel.symbols.size());
      write_part();
      write_memory();
      const auto batch = out_.block("for (long b = part.batch; b < part.batches; ++b)");
      write_positions(how_.form.batch, "b");
      out_.line("bool more = false;");
      write_blocks();
      write_zeros();
      write_epilogue();
    }
    return pieces_ + out_.str();
  }

 private:
  std::int64_t rows() const { return product_.all_channels() * product_.positions(); }
  std::int64_t last_group() const { return product_.all_channels() % product_.group; }

  std::string tile_name(std::int64_t channels, std::int64_t part) const {
    return text(name_, "_tile", channels, "x", product_.parts[static_cast<std::size_t>(part)]);
  }

  std::string tiles() const {
    std::string result;
    for (const std::int64_t channels : {product_.group, last_group()}) {
      for (std::size_t part = 0; channels > 0 && part < product_.parts.size(); ++part) {
        const bool is_known = part > 0 && product_.parts[part] == product_.parts[part - 1];
        if (!is_known) result += tile(channels, static_cast<std::int64_t>(part));
      }
    }
    return result;
  }

  // The text of the function "name_tile2x3", for 2 channels and 3 positions of a window.
  std::string tile(std::int64_t channels, std::int64_t part) const {
    WindowTile result;
    const std::int64_t step = product_.stride(product_.across);
    for (std::int64_t channel = 0; channel < channels; ++channel) {
      for (std::int64_t i = 0; i < product_.parts[static_cast<std::size_t>(part)]; ++i) {
        result.rows.push_back({channel * product_.block_images * product_.plane_pitch + i * step,
                               (channel * product_.positions() + i) * how_.pitch});
      }
    }
    if (product_.block_images > 1) result.loops.push_back({"images", product_.plane_pitch});
    if (!product_.lines.empty()) {
      result.loops.push_back({"lines", product_.stride(product_.lines[0])});
    }
    result.loops.push_back({text(product_.points()), product_.stride(product_.line)});
    return window_tile(result, how_, tile_name(channels, part));
  }

  // Threads share columns or channels. All of them pack the lines, or stage the images.
  void write_part() {
    const std::int64_t cost = how_.limits().packing_cost / product_.positions() + 1;
    out_.line({"const Part part({", c(count_of(how_.form.batch)), "}, {", product_.all_channels(),
               ", ", product_.group, ", ", cost, "}, {", how_.columns, ", ", how_.pitch, ", ", cost,
               "}, thread, threads);"});
    out_.line("if (part.batch >= part.batches || part.row >= part.rows) return;");
  }

  void write_memory() {
    const Extent panels = floor_div(how_.columns + (how_.pitch - 1), how_.pitch) * how_.pitch;
    const std::int64_t results = detail::epilogue_channels(product_, how_) * product_.positions();
    write_scratch("strip", product_.strip_elements(), how_.dtype);
    write_scratch("gradients", product_.block_lines * product_.points() * how_.pitch, how_.dtype);
    write_scratch("panels", panels * product_.block_points(), how_.dtype);
    write_scratch("sums", panels * rows(), how_.dtype);
    write_scratch("results", results * how_.pitch, how_.dtype);
  }

  // Writes these loops over the blocks of the depth:
  //
  //     for (image n, line y: a block)
  //       for (panel of columns c) pack the block's gradients
  //       for (channels from .. to) {
  //         stage a strip of the images of the block
  //         for (panel of columns c) for (group of channels) add to their sums, tile by tile
  //       }
  void write_blocks() {
    const Extent all = count_of(product_.images);
    const auto images =
        out_.block({"for (long n = 0; n < ", c(all), "; n += ", product_.block_images, ")"});
    if (product_.block_images > 1) {
      out_.line({"const long images = least(", c(all), " - n, ", product_.block_images, ");"});
    } else {
      out_.line("const long images = 1;");
    }
    const auto blocks = out_.block(
        {"for (long y = 0; y < ", product_.all_lines(), "; y += ", product_.block_lines, ")"});
    out_.line({"const long lines = least(", product_.all_lines(), " - y, ", product_.block_lines,
               "), points = lines * ", product_.points(), ";"});
    write_panels();
    write_channels();
    out_.line("more = true;");
  }

  void write_panels() {
    const auto panels =
        out_.block({"for (long c = part.column; c < part.columns; c += ", how_.pitch, ")"});
    out_.line({"const long width = least(part.columns - c, ", how_.pitch, ");"});
    const auto images = out_.block("for (long i = 0; i < images; ++i)");
    out_.line({name_, "_lines(buffers, sizes, gradients", batch_arguments(),
               product_.images.empty() ? "" : ", n + i", ", c, c + width",
               product_.lines.empty() ? "" : ", y, y + lines", ");"},
              how_.at(how_.right_value).remark);
    out_.line({"pack_", how_.packed, "(panels + c * ", product_.block_points(), " + i * points * ",
               how_.pitch, ", ", how_.pitch, ", gradients, ",
               product_.block_lines * product_.points(), ", width, points);"});
  }

  void write_channels() {
    const auto strips = out_.block(
        {"for (long from = part.row; from < part.rows; from += ", product_.block_channels, ")"});
    out_.line({"const long to = least(from + ", product_.block_channels, ", part.rows);"});
    std::string arguments = batch_arguments();
    if (!product_.images.empty()) arguments += ", n, n + images";
    if (!product_.channels.empty()) arguments += ", from, to";
    if (!product_.lines.empty()) {
      const std::int64_t step = product_.line_step();
      arguments +=
          text(", y * ", step, ", (y + lines - 1) * ", step, " + ", product_.image_lines(1));
    }
    out_.line({name_, "_strip(buffers, sizes, strip", arguments, ");"},
              how_.at(how_.left_value).remark);
    const auto panels =
        out_.block({"for (long c = part.column; c < part.columns; c += ", how_.pitch, ")"});
    out_.line({"const ", type(), "* const panel = panels + c * ", product_.block_points(), ";"});
    const auto groups =
        out_.block({"for (long group = from; group < to; group += ", product_.group, ")"});
    out_.line({"const ", type(), "* window = strip + (group - from) * ",
               product_.block_images * product_.plane_pitch, " + ",
               detail::first_element(product_.axes), ";"});
    out_.line({type(), "* of = sums + c * ", rows(), " + group * ",
               product_.positions() * how_.pitch, ";"});
    if (last_group() == 0) return write_group(product_.group);
    {
      const auto all = out_.block({"if (to - group >= ", product_.group, ")"});
      write_group(product_.group);
    }
    const auto rest = out_.block("else");
    write_group(last_group());
  }

  void write_group(std::int64_t channels) {
    const std::int64_t down = product_.down.empty() ? 0 : product_.stride(product_.down[0]);
    const auto windows =
        out_.block({"for (long i = 0; i < ", product_.positions_down(), "; ++i, window += ", down,
                    ", of += ", product_.positions_across() * how_.pitch, ")"});
    std::int64_t position = 0;
    for (std::size_t part = 0; part < product_.parts.size(); ++part) {
      out_.line({tile_name(channels, static_cast<std::int64_t>(part)), "(of + ",
                 position * how_.pitch, ", window + ", position * product_.stride(product_.across),
                 ", panel", product_.block_images > 1 ? ", images" : "",
                 product_.lines.empty() ? "" : ", lines", ", more);"},
                how_.at(how_.form.sum).remark);
      position += product_.parts[part];
    }
  }

  void write_epilogue() {
    const std::int64_t channels = detail::epilogue_channels(product_, how_);
    const std::int64_t positions = product_.positions();
    const auto panels =
        out_.block({"for (long c = part.column; c < part.columns; c += ", how_.pitch, ")"});
    out_.line({"const long width = least(part.columns - c, ", how_.pitch, ");"});
    const auto all =
        out_.block({"for (long from = part.row; from < part.rows; from += ", channels, ")"});
    out_.line({"const long to = least(from + ", channels, ", part.rows);"});
    out_.line({"transpose_", how_.dtype, "(results, ", channels * positions, ", sums + c * ",
               rows(), " + from * ", positions * how_.pitch, ", ", how_.pitch, ", (to - from) * ",
               positions, ", width);"});
    const std::string each = joins_rows(how_) ? text(" * ", positions) : "";
    const bool is_one = product_.channels.empty() && each.empty();
    out_.line({name_, "_finish(buffers, sizes, ", context_argument(), "results", batch_arguments(),
               ", c, c + width", is_one ? "" : text(", from", each, ", to", each), ");"});
  }

  // A batch of 0 images runs no block: its sums are 0.
  void write_zeros() {
    if (count_of(product_.images).is_number()) return;
    const auto none = out_.block("if (!more)");
    const auto panels =
        out_.block({"for (long c = part.column; c < part.columns; c += ", how_.pitch, ")"});
    const std::int64_t panel = rows() * how_.pitch;
    const auto all = out_.block({"for (long i = 0; i < ", panel, "; ++i)"});
    out_.line({"sums[c * ", rows(), " + i] = 0;"});
  }

  const WindowGradient& product_;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
