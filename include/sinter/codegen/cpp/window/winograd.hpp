#pragma once
// Decides whether a product of 3 by 3 windows is computed by Winograd's algorithm F(2x2, 3x3): each
// 4 by 4 part of the image gives 2 by 2 points with 16 multiplications instead of 36. [Lavin, Gray,
// Fast Algorithms for Convolutional Neural Networks, 2016]

#include <sinter/codegen/cpp/window/window_product.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Chooses strips, tiles and groups for the windows `found`. False, with `found` as it was, if
/// these are no 3 by 3 windows of neighbours in f32, or if to transform them takes longer than it
/// saves.
bool choose_winograd(WindowProduct& found, const Kernel& kernel, const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/window/winograd.ipp>
#endif
