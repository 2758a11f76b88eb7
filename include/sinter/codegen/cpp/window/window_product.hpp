#pragma once
// Decides whether a product reads overlapping windows, as convolutions do, and how it is then
// computed: windows in place from a strip of the padded image, weights from packed panels.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/cpp/window/strip.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// How a product is computed by Winograd's algorithm: see winograd.hpp. An output tile, 2 by 2
/// points, needs an input tile, a 4 by 4 part of the image. For each of the 16 elements of
/// transformed input tiles, there is a product: its rows are the tiles of a strip, its depth the
/// planes, its columns the channels.
struct Winograd {
  std::int64_t element_pitch = 0;  ///< From one element of the input tiles to the next.
  std::int64_t staged_planes = 1;  ///< Planes that are staged, and then transformed, at a time.
  std::int64_t group_panels = 1;   ///< Panels of weights whose products are kept at a time.
  std::int64_t images = 1;         ///< Whole images in a strip, if these are small.
};

/// A product whose rows are the points of a map of `lines` x `line`, and whose columns are
/// channels. The part of the image that some lines need, their strip, is staged in the L2 cache:
/// its planes are points of the loops `planes`, padded elements included.
struct WindowProduct : WindowStrip {
  ProductForm form{};     ///< With the windows as `left`.
  Vector<Loop> outer{};   ///< The loops of the rows around the lines, such as the images.
  Vector<Loop> planes{};  ///< The loops of the depth that no axis contains.
  std::int64_t strip_lines = 1;  ///< The most lines of a strip.
  Extent plane_pitch = 0;
  TileSize tile{};
  /// Iterations of the first loop of the depth for which planes are staged at a time: all; or some,
  /// of the first of `planes`, if all are too large for the cache. Then the sums of all columns are
  /// kept from one part of the planes to the next.
  std::int64_t strip_steps = 1;
  std::int64_t block_steps = 1;  ///< Iterations of the first loop of the depth in a block.

  Optional<Winograd> winograd{};

  /// The output tiles of a line, of an image in a strip, and of a strip.
  std::int64_t line_tiles() const { return (points() + 1) / 2; }
  std::int64_t image_tiles() const { return (strip_lines + 1) / 2 * line_tiles(); }
  std::int64_t strip_tiles() const { return winograd->images * image_tiles(); }
  /// How far the strip moves from one point to the next.
  std::int64_t point_step() const;
  /// How far an iteration of a loop of the depth moves in the strip.
  Extent stride(const Loop& loop) const;
  bool divides_planes() const { return !same(strip_steps, form.depth[0].extent); }
  /// The elements of a strip.
  Extent strip_elements() const {
    const Extent all = count_of(planes) * plane_pitch;
    return divides_planes() ? floor_div(all, form.depth[0].extent) * strip_steps : all;
  }
};

/// `form` as a product of windows. Nothing if its operands are no windows and weights, if its sizes
/// are unknown or small, or if `options` ask for another way.
Optional<WindowProduct> window_product(const Kernel& kernel, const ProductForm& form,
                                       const CppOptions& options);

/// The decisions about the weights of `product`: see ProductDecision.
ProductDecision weights_of(const Kernel& kernel, const WindowProduct& product,
                           const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/window/window_product.ipp>
#endif
