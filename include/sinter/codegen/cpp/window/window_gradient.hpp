#pragma once
// Decides whether a product is a sum over all windows of images, as the weight gradient of a
// convolution is, and how it is then computed: windows in place from strips of the padded images,
// the gradients of results from packed panels.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/cpp/window/strip.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A product whose rows are the positions in windows of some channels, and whose depth is the
/// points of some images. The depth is divided into blocks: lines of an image, or whole images.
struct WindowGradient : WindowStrip {
  ProductForm form{};                 ///< With the windows as `left`.
  Vector<Loop> channels{};            ///< The loop of the rows over channels, if there is one.
  Vector<Loop> down{};                ///< The loop over positions down a window, if there is one.
  Loop across{};                      ///< The loop over positions across a window.
  Vector<Loop> images{};              ///< The loop of the depth over images, if there is one.
  TileSize tile{};
  std::int64_t group = 1;        ///< Channels whose windows are in one tile.
  Vector<std::int64_t> parts{};  ///< Positions across a window: those of each tile.
  std::int64_t block_images = 1, block_lines = 1;  ///< Of the depth at a time.
  std::int64_t block_channels = 1;                 ///< Of a strip.
  std::int64_t plane_pitch = 0;                    ///< Elements of an image in a strip.

  std::int64_t all_channels() const;
  std::int64_t positions_down() const { return down.empty() ? 1 : down[0].extent.number(); }
  std::int64_t positions_across() const { return across.extent.number(); }
  std::int64_t positions() const { return positions_down() * positions_across(); }
  std::int64_t block_points() const { return block_images * block_lines * points(); }
  /// How far an iteration of a loop moves in an image of the strip.
  std::int64_t stride(const Loop& loop) const;
  std::int64_t strip_elements() const { return block_channels * block_images * plane_pitch; }
};

/// `form` as such a product. Nothing if its operands have another form, if its sizes are unknown or
/// small, or if `options` ask for another way.
Optional<WindowGradient> window_gradient(const Kernel& kernel, const ProductForm& form,
                                         const CppOptions& options);

/// The decisions about the panels of `product`: see ProductDecision.
ProductDecision panels_of(const Kernel& kernel, const WindowGradient& product,
                          const CppOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/window/window_gradient.ipp>
#endif
