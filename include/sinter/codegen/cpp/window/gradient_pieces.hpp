#pragma once
// The functions that a weight gradient calls: one stages strips of images, one computes the right
// operand for a panel, and one computes the epilogue of a range of rows.

#include <cstdint>  // std::int64_t
#include <string>   // std::string

#include <sinter/codegen/cpp/window/window_gradient.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The function "name_strip". It gets the ranges of images, channels and lines to stage, without
/// those for which the product has no loop.
std::string image_strip_piece(const ProductDecision& how, const WindowGradient& product,
                              const std::string& name);

/// The function "name_lines": the right operand at the points of some lines, one column after the
/// other, `block_lines` apart. It gets an image, the first and the last column, and line.
std::string gradient_lines_piece(const ProductDecision& how, const WindowGradient& product,
                                 const std::string& name);

/// Whether the epilogue runs over all rows as one loop.
bool joins_rows(const ProductDecision& how);

/// The function "name_finish": the epilogue, which reads the sums of a column after those of the
/// previous one, `pitch` apart. It gets the first and the last column; and the first and the last
/// row if joins_rows(), else channel.
std::string rows_piece(const ProductDecision& how, const WindowGradient& product,
                       std::int64_t pitch, const std::string& name);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/window/gradient_pieces.ipp>
#endif
