#pragma once

#include <algorithm>  // std::clamp, std::max, std::min
#include <utility>    // std::move

#include <sinter/codegen/cpp/window/window_tile.hpp>
#include <sinter/codegen/cpp/window/winograd.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// Whether axis `i` is a point of the image and one of 3 positions from there.
SINTER_INLINE bool has_three_neighbours(const WindowProduct& windows, std::size_t i) {
  const Loop& window = windows.form.depth[windows.form.depth.size() - 2 + i];
  const Loop& point = i == 0 ? windows.lines[0] : windows.line;
  const auto moves_by_one = [&](const Loop& loop) {
    return has_step(windows.axes[i].value, loop.variable);
  };
  return same(window.extent, 3) && moves_by_one(window) && moves_by_one(point);
}

class WinogradFinder {
 public:
  WinogradFinder(const Kernel& kernel, WindowProduct windows, const CppOptions& options)
      : kernel_(kernel), options_(options), found_{std::move(windows)} {}

  Optional<WindowProduct> run() {
    if (!has_form() || !choose_strip() || !choose_tile() || !pays()) return {};
    choose_blocks();
    return std::move(found_);
  }

 private:
  bool has_form() const {
    const Instruction& sum = kernel_.instructions[found_.form.sum];
    return sum.dtype == f32 && found_.lines.size() == 1 && found_.planes.size() == 1 &&
           found_.form.depth.size() == 3 &&
           same(found_.planes[0].variable, found_.form.depth[0].variable) &&
           has_three_neighbours(found_, 0) && has_three_neighbours(found_, 1);
  }

  // As many lines of tiles as fit in half of the L2 cache, or in an eighth if the weights stay
  // there too; at least as many as make reading the weights cheap, of several images if these are
  // small.
  bool choose_strip() {
    const std::int64_t of_line = 16 * planes() * found_.line_tiles() * 4;
    const std::int64_t fewest = options_.target.cpp.fewest_points_of_strip;
    const std::int64_t lines = (found_.all_lines() + 1) / 2;
    const std::int64_t needed = (fewest + found_.line_tiles() - 1) / found_.line_tiles();
    const std::int64_t l2 = options_.target.caches.l2;
    const std::int64_t weights = 16 * planes() * found_.form.columns[0].extent.number() * 4;
    const std::int64_t fit = l2 / (4 * weights <= l2 ? 8 : 2) / of_line;
    const std::int64_t most = std::clamp(fit, std::min(needed, lines), lines);
    const std::int64_t strips = (lines + most - 1) / most;
    found_.strip_lines = std::min(2 * ((lines + strips - 1) / strips), found_.all_lines());
    if (strips == 1) winograd_.images = (fewest + found_.image_tiles() - 1) / found_.image_tiles();
    const Extent images = count_of(found_.outer);
    return winograd_.images == 1 ||
           (found_.form.batch.empty() && images.is_number() && images.number() >= winograd_.images);
  }

  bool choose_tile() {
    const int lanes = options_.target.vectors.bits / 32;
    const auto tile = choose_window_tile(options_.target, lanes, found_.line_tiles(),
                                         found_.form.columns[0].extent.number());
    if (tile) found_.tile = *tile;
    return tile.has_value();
  }

  // Each plane of a tile is transformed once for all channels, and each channel once for all
  // planes; tiles at the edge may be half empty.
  bool pays() const {
    const std::int64_t channels = found_.form.columns[0].extent.number();
    const std::int64_t tiles = (found_.all_lines() + 1) / 2 * found_.line_tiles();
    const std::int64_t points = found_.all_lines() * found_.points();
    const std::int64_t fewest = options_.target.cpp.fewest_transformed_channels;
    return std::min(channels, planes()) >= fewest &&
           16 * tiles * 100 <= 9 * points * options_.target.cpp.most_percent_transformed;
  }

  void choose_blocks() {
    const schedule::Caches& caches = options_.target.caches;
    const std::int64_t image =
        found_.image_lines(2 * ((found_.strip_lines + 1) / 2)) * found_.along().count;
    found_.plane_pitch = image;
    winograd_.element_pitch = spread_over_sets(planes() * strip_tiles(), 4);
    winograd_.staged_planes = std::clamp<std::int64_t>(caches.l1 / 2 / (4 * image), 1, planes());
    const std::int64_t panel = 16 * strip_tiles() * found_.tile.columns() * 4;
    winograd_.group_panels = std::max<std::int64_t>(1, caches.l2 / 2 / panel);
    found_.strip_steps = planes();
    found_.block_steps = steps_of_block(caches, planes(), 4 * found_.tile.columns());
    found_.winograd = winograd_;
  }

  std::int64_t strip_tiles() const { return winograd_.images * found_.image_tiles(); }
  std::int64_t planes() const { return found_.planes[0].extent.number(); }

  const Kernel& kernel_;
  const CppOptions& options_;
  WindowProduct found_;
  Winograd winograd_{};
};

}  // namespace detail

SINTER_INLINE bool choose_winograd(WindowProduct& found, const Kernel& kernel,
                                   const CppOptions& options) {
  auto chosen = detail::WinogradFinder(kernel, found, options).run();
  if (chosen) found = std::move(*chosen);
  return chosen.has_value();
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
