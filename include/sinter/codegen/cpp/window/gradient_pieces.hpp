#pragma once
// The functions that a weight gradient calls: one stages strips of images, one computes the right
// operand for a panel, and one computes the epilogue of a range of rows.

#include <cstdint>  // std::int64_t
#include <string>   // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/product/pieces.hpp>
#include <sinter/codegen/cpp/window/window_gradient.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// Adds the loop of `loops`, which has at most one, over a part; returns the index within the part.
inline Extent add_part(PieceKernel& piece, const Vector<Loop>& loops) {
  return loops.empty() ? Extent(0) : loops[0].variable - piece.add(loops[0], LoopRange::part);
}

}  // namespace detail

/// The function "name_strip". It gets the ranges of images, channels and lines to stage, without
/// those for which the product has no loop.
inline std::string image_strip_piece(const ProductDecision& how, const WindowGradient& product,
                                     const std::string& name) {
  PieceKernel piece = detail::product_piece(how);
  piece.add_matrix(how.packed, Access::write);
  const Extent image = detail::add_part(piece, product.images);
  Extent index = detail::add_part(piece, product.channels) * product.block_images + image;
  detail::stage_images(piece, how, product, index * product.plane_pitch);
  return detail::piece_text(how, piece, name + "_strip");
}

/// The function "name_lines": the right operand at the points of some lines, one column after the
/// other, `block_lines` apart. It gets an image, the first and the last column, and line.
inline std::string gradient_lines_piece(const ProductDecision& how, const WindowGradient& product,
                                        const std::string& name) {
  PieceKernel piece = detail::product_piece(how);
  piece.add_matrix(how.packed, Access::write);
  for (const Loop& loop : product.images) piece.add(loop, LoopRange::given);
  Extent index = detail::add_part(piece, how.form.columns) * product.block_lines;
  index = (index + detail::add_part(piece, product.lines)) * product.points();
  piece.add(product.line, LoopRange::whole);
  index += product.line.variable;
  piece.store(piece.copy(how.kernel, {how.right_value}, -1, 0)[0], index);
  return detail::piece_text(how, piece, name + "_lines");
}

/// Whether the epilogue runs over all rows as one loop.
inline bool joins_rows(const ProductDecision& how) {
  return detail::has_flat_epilogue(how, how.form.rows);
}

/// The function "name_finish": the epilogue, which reads the sums of a column after those of the
/// previous one, `pitch` apart. It gets the first and the last column; and the first and the last
/// row if joins_rows(), else channel.
inline std::string rows_piece(const ProductDecision& how, const WindowGradient& product,
                              std::int64_t pitch, const std::string& name) {
  PieceKernel piece = detail::product_piece(how);
  piece.add_matrix(how.dtype, Access::read);
  Extent index = detail::add_part(piece, how.form.columns) * pitch;
  Vector<Loop> flat;
  if (joins_rows(how)) {
    flat = how.form.rows;
  } else {
    index += detail::add_part(piece, product.channels) * product.positions();
    for (const Loop& loop : product.down) {
      piece.add(loop, LoopRange::whole);
      index += loop.variable * product.positions_across();
    }
    piece.add(product.across, LoopRange::whole);
    index += product.across.variable;
  }
  detail::copy_epilogue(piece, how, flat, [&](Extent at) { return index + at; });
  return detail::piece_text(how, piece, name + "_finish");
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
