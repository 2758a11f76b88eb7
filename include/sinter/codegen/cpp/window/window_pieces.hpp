#pragma once
// The functions that a product of windows calls: they stage a strip of the image, and compute the
// epilogue of some lines.

#include <string>  // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/product/pieces.hpp>
#include <sinter/codegen/cpp/window/window_product.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The function "name_strip", which gets the first and the last of the outermost loop over planes,
/// and of the lines of the image.
inline std::string strip_piece(const ProductDecision& how, const WindowProduct& product,
                               const std::string& name) {
  PieceKernel piece = detail::product_piece(how);
  piece.add_matrix(how.packed, Access::write);
  for (const Loop& loop : product.outer) piece.add(loop, LoopRange::given);
  Extent index = 0;
  for (const Loop& loop : product.planes) {
    const bool first = same(loop.variable, product.planes[0].variable);
    const Extent begin = piece.add(loop, first ? LoopRange::part : LoopRange::whole);
    index = index * loop.extent + (loop.variable - begin);
  }
  detail::stage_images(piece, how, product, index * product.plane_pitch);
  return detail::piece_text(how, piece, name + "_strip");
}

/// Whether all that the epilogue accesses is contiguous from one line to the next. Then it runs
/// over the points of several lines as one loop.
inline bool joins_lines(const ProductDecision& how, const WindowProduct& product) {
  return !product.lines.empty() && detail::has_flat_epilogue(how, {product.lines[0], product.line});
}

/// The function "name_finish": the epilogue, which reads the sums of a channel after those of the
/// previous one, `strip_lines` apart. It gets the first and the last channel; and the first and the
/// last point if joins_lines(), else line.
inline std::string lines_piece(const ProductDecision& how, const WindowProduct& product,
                               const std::string& name) {
  PieceKernel piece = detail::product_piece(how);
  piece.add_matrix(how.dtype, Access::read);
  for (const Loop& loop : product.outer) piece.add(loop, LoopRange::given);
  const Loop& channel = how.form.columns[0];
  const std::int64_t strip = product.strip_lines * product.points();
  Extent index = (channel.variable - piece.add(channel, LoopRange::part)) * strip;
  Vector<Loop> flat;
  if (joins_lines(how, product)) {
    flat = {product.lines[0], product.line};
  } else {
    if (!product.lines.empty()) {
      const Loop& line = product.lines[0];
      index += (line.variable - piece.add(line, LoopRange::part)) * product.points();
    }
    piece.add(product.line, LoopRange::whole);
    index += product.line.variable;
  }
  detail::copy_epilogue(piece, how, flat, [&](Extent at) { return index + at; });
  return detail::piece_text(how, piece, name + "_finish");
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
