#pragma once
// Decides whether a product of 3 by 3 windows is computed by Winograd's algorithm F(2x2, 3x3): each
// 4 by 4 part of the image gives 2 by 2 points with 16 multiplications instead of 36. [Lavin, Gray,
// Fast Algorithms for Convolutional Neural Networks, 2016]

#include <cstdint>  // std::int64_t

#include <sinter/base/container/optional.hpp>
#include <sinter/codegen/cpp/window/window_product.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A *square* is a 2 by 2 part of the points, and the 4 by 4 part of the image that it needs. For
/// each of the 16 elements of a transformed square, there is a product: its rows are the squares of
/// a strip, its depth the planes, its columns the channels.
struct WinogradProduct : WindowProduct {
  std::int64_t element_pitch = 0;  ///< From one element of the transformed squares to the next.
  std::int64_t staged_planes = 1;  ///< Planes that are staged, and then transformed, at a time.
  std::int64_t group_panels = 1;   ///< Panels of weights whose products are kept at a time.

  std::int64_t all_planes() const { return count_of(planes).number(); }
  /// The squares of a line, and the lines of squares of a strip.
  std::int64_t squares_of_line() const { return (points() + 1) / 2; }
  std::int64_t square_lines() const { return (strip_lines + 1) / 2; }
  std::int64_t strip_squares() const { return square_lines() * squares_of_line(); }
};

/// `form` as such a product. Nothing if its operands are no 3 by 3 windows of neighbours and
/// weights, or if transforming them would take longer than it saves.
Optional<WinogradProduct> winograd_product(const Kernel& kernel, const ProductForm& form,
                                           const CppOptions& options);

/// The decisions about the weights of `product`, whose panels are transformed.
ProductDecision weights_of(const Kernel& kernel, const WinogradProduct& product,
                           const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/window/winograd_product.ipp>
#endif
