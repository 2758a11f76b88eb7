#pragma once
// Decides whether a product is a sum over all windows of images, as the weight gradient of a
// convolution is, and how it is then computed: windows in place from strips of the padded images,
// the gradients of results from packed panels.

#include <algorithm>  // std::max, std::min
#include <cstddef>    // std::ptrdiff_t, std::size_t
#include <cstdint>    // std::int64_t
#include <utility>    // std::move, std::swap

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/cpp/window/strip.hpp>
#include <sinter/codegen/cpp/window/window_tile.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A product whose rows are the positions in windows of some channels, and whose depth is the
/// points of some images. The depth is divided into blocks: lines of an image, or whole images.
struct WindowGradient : WindowStrip {
  ProductForm form{};       ///< With the windows as `left`.
  Vector<Loop> channels{};  ///< The loop of the rows over channels, if there is one.
  Vector<Loop> down{};      ///< The loop over positions down a window, if there is one.
  Loop across{};            ///< The loop over positions across a window.
  Vector<Loop> images{};    ///< The loop of the depth over images, if there is one.
  TileSize tile{};
  std::int64_t group = 1;        ///< Channels whose windows are in one tile.
  Vector<std::int64_t> parts{};  ///< Positions across a window: those of each tile.
  std::int64_t block_images = 1, block_lines = 1;  ///< Of the depth at a time.
  std::int64_t block_channels = 1;                 ///< Of a strip.
  std::int64_t plane_pitch = 0;                    ///< Elements of an image in a strip.

  std::int64_t all_channels() const { return channels.empty() ? 1 : channels[0].extent.number(); }
  std::int64_t positions_down() const { return down.empty() ? 1 : down[0].extent.number(); }
  std::int64_t positions_across() const { return across.extent.number(); }
  std::int64_t positions() const { return positions_down() * positions_across(); }
  std::int64_t block_points() const { return block_images * block_lines * points(); }
  /// How far an iteration of a loop moves in an image of the strip.
  std::int64_t stride(const Loop& loop) const {
    return coefficient_of(image_index(), loop.variable)->number();
  }
  std::int64_t strip_elements() const { return block_channels * block_images * plane_pitch; }
};

/// The decisions about the panels of `product`: see ProductDecision.
inline ProductDecision panels_of(const Kernel& kernel, const WindowGradient& product,
                                 const CppOptions& options) {
  ProductDecision how(kernel, product.form, options);
  how.tile = product.tile;
  how.pitch = how.micro_pitch = product.tile.columns();
  how.left = ProductDecision::Packing::none;
  how.packed_argument = -1;
  return how;
}

namespace detail {

class WindowGradientFinder {
 public:
  WindowGradientFinder(const Kernel& kernel, const ProductForm& form, const CppOptions& options)
      : kernel_(kernel), options_(options) {
    found_.form = form;
    std::swap(found_.form.left, found_.form.right);
    std::swap(found_.form.rows, found_.form.columns);
    dtype_ = kernel_.instructions[static_cast<std::size_t>(form.sum)].dtype;
  }

  Optional<WindowGradient> run() {
    if (!has_known_sizes() || !find_axes()) return {};
    if (!choose_tile() || !choose_blocks()) return {};
    const ProductDecision how = panels_of(kernel_, found_, options_);
    if (how.uses_bf16_dot || how.method != ProductDecision::Method::tiles) return {};
    return std::move(found_);
  }

 private:
  static bool is_known(const Loop& loop) {
    return loop.extent.is_number() && loop.extent.number() > 0;
  }

  bool has_known_sizes() const {
    const ProductForm& form = found_.form;
    if (!allows_window_tiles(dtype_, options_)) return false;
    if (form.rows.empty() || form.columns.size() != 1 || form.depth.empty()) return false;
    return all_of(form.rows, is_known) && all_of(form.columns, is_known) &&
           is_known(form.depth.back());
  }

  // Sorts the loops, and checks that a window is a part of an image.
  bool find_axes() {
    const Vector<Loop>&rows = found_.form.rows, &depth = found_.form.depth;
    std::size_t inner = rows.size(), images = depth.size() - 1;
    found_.line = depth.back();
    found_.across = rows[--inner];
    const auto along = axis_of(found_.line, found_.across);
    if (!along) return false;
    if (images > 0 && inner > 0 && is_known(depth[images - 1])) {
      if (const auto over = axis_of(depth[images - 1], rows[inner - 1])) {
        found_.lines = {depth[--images]};
        found_.down = {rows[--inner]};
        found_.axes.push_back(*over);
      }
    }
    found_.axes.push_back(*along);
    if (images > 1 || inner > 1) return false;
    if (images > 0) found_.images = {depth[0]};
    if (inner > 0) found_.channels = {rows[0]};
    const auto overlaps = [](const WindowAxis& one) {
      return variables(one.value).size() == 2;  // each variable is in one axis only
    };
    return all_of(found_.axes, overlaps) && is_shareable(kernel_, found_.form.left) &&
           is_element(kernel_, found_.form.left, found_.axes);
  }

  // The axis of the points along `side` and the positions along `window`. Nothing unless there are
  // fewer positions than points.
  Optional<WindowAxis> axis_of(const Loop& side, const Loop& window) const {
    const auto axis = find_axis(kernel_, found_.form.left, side, {window});
    if (!axis || !depends_on(axis->value, window.variable)) return {};
    if (window.extent.number() >= side.extent.number()) return {};
    return axis;
  }

  // The number of sums that could be computed while the tiles of a channel take one step along the
  // depth, for all columns, times `group`.
  std::int64_t cost_of(int vectors, int lanes, std::int64_t group,
                       const Vector<std::int64_t>& parts) const {
    std::int64_t result = 0;
    for (const std::int64_t part : parts) {
      result += cost_of_window_tile(options_.target, group * part, vectors);
    }
    const std::int64_t wide = std::int64_t{vectors} * lanes;
    return result * ((found_.form.columns[0].extent.number() + wide - 1) / wide);
  }

  // As many sums as fit in the registers, beside a row of a panel and an element of a window.
  bool choose_tile() {
    const int lanes = options_.target.vectors.bits / (8 * static_cast<int>(info(dtype_).size));
    const std::int64_t across = found_.positions_across();
    std::int64_t least = 0;
    for (const int vectors : vectors_of_window_tiles(options_.target, lanes)) {
      const std::int64_t most = most_rows_of_window_tile(options_.target, vectors);
      const std::int64_t group = std::clamp<std::int64_t>(most / across, 1, found_.all_channels());
      const std::int64_t tiles = (across + most - 1) / most, low = across / tiles;
      Vector<std::int64_t> parts;
      for (std::int64_t i = 0; i < tiles; ++i) parts.push_back(low + (i < across % tiles ? 1 : 0));
      const std::int64_t cost = cost_of(vectors, lanes, group, parts);
      if (least != 0 && cost * found_.group >= least * group) continue;
      least = cost;
      found_.group = group;
      found_.parts = parts;
      found_.tile = {
          .lanes = lanes, .rows = static_cast<int>(group * parts[0]), .vectors = vectors};
    }
    const std::int64_t columns = found_.form.columns[0].extent.number();
    return columns >= lanes && least * lanes <= 2 * columns * across * found_.group;
  }

  // Chooses blocks of the depth whose panels fit in the L1 cache, and channels whose strips fit in
  // the L2 cache.
  bool choose_blocks() {
    const auto size = static_cast<std::int64_t>(info(dtype_).size);
    const schedule::Caches& caches = options_.target.caches;
    const std::int64_t room = caches.l1 * 5 / 8 / (size * found_.tile.columns());
    if (found_.points() > 2 * room) return false;
    const std::int64_t most = std::max<std::int64_t>(1, room / found_.points());
    const std::int64_t all = found_.all_lines(), blocks = (all + most - 1) / most;
    found_.block_lines = (all + blocks - 1) / blocks;
    const bool many = !found_.images.empty();
    if (many && blocks == 1) found_.block_images = std::max<std::int64_t>(1, most / all);
    found_.plane_pitch =
        spread_over_sets(found_.image_lines(found_.block_lines) * found_.along().count, size);
    const std::int64_t group = found_.group * found_.block_images * found_.plane_pitch;
    const std::int64_t groups = caches.l2 / 2 / size / group;
    const std::int64_t needed = (found_.all_channels() + found_.group - 1) / found_.group;
    found_.block_channels = std::min(groups, needed) * found_.group;
    return groups > 0;
  }

  const Kernel& kernel_;
  const CppOptions& options_;
  DType dtype_{};
  WindowGradient found_{};
};

}  // namespace detail

/// `form` as such a product. Nothing if its operands have another form, if its sizes are unknown or
/// small, or if `options` ask for another way.
inline Optional<WindowGradient> window_gradient(const Kernel& kernel, const ProductForm& form,
                                                const CppOptions& options) {
  return detail::WindowGradientFinder(kernel, form, options).run();
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
