#pragma once
// The functions that a product of windows calls: they stage a strip of the image, and compute the
// epilogue of some lines.

#include <string>  // std::string

#include <sinter/codegen/cpp/window/window_product.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The function "name_strip", which gets the first and the last of the outermost loop over planes,
/// and of the lines of the image.
std::string strip_piece(const ProductDecision& how, const WindowProduct& product,
                        const std::string& name);

/// Whether all that the epilogue accesses is contiguous from one line to the next. Then it runs
/// over the points of several lines as one loop.
bool joins_lines(const ProductDecision& how, const WindowProduct& product);

/// The function "name_finish": the epilogue, which reads the sums of a channel after those of the
/// previous one, `strip_lines` apart. It gets the first and the last channel; and the first and the
/// last point if joins_lines(), else line.
std::string lines_piece(const ProductDecision& how, const WindowProduct& product,
                        const std::string& name);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/window/window_pieces.ipp>
#endif
