#pragma once

#include <algorithm>  // std::clamp, std::max, std::min
#include <utility>    // std::move

#include <sinter/codegen/cpp/window/window_tile.hpp>
#include <sinter/codegen/cpp/window/winograd_product.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// Whether axis `i` is a point of the image and one of 3 positions from there.
SINTER_INLINE bool has_three_neighbours(const WindowProduct& windows, std::size_t i) {
  const Loop& window = windows.form.depth[windows.form.depth.size() - 2 + i];
  const Loop& point = i == 0 ? windows.lines[0] : windows.line;
  const auto moves_by_one = [&](const Loop& loop) {
    const auto step = coefficient_of(windows.axes[i].value, loop.variable);
    return step && same(*step, 1);
  };
  return same(window.extent, 3) && moves_by_one(window) && moves_by_one(point);
}

class WinogradFinder {
 public:
  WinogradFinder(const Kernel& kernel, WindowProduct windows, const CppOptions& options)
      : kernel_(kernel), options_(options), found_{std::move(windows)} {}

  Optional<WinogradProduct> run() {
    if (!has_form() || !choose_strip() || !choose_tile() || !pays()) return {};
    choose_blocks();
    const ProductDecision how = weights_of(kernel_, found_, options_);
    if (how.uses_bf16_dot || how.method != ProductDecision::Method::tiles) return {};
    return std::move(found_);
  }

 private:
  bool has_form() const {
    const Instruction& sum = kernel_.instructions[static_cast<std::size_t>(found_.form.sum)];
    return sum.dtype == f32 && found_.lines.size() == 1 && found_.planes.size() == 1 &&
           found_.form.depth.size() == 3 &&
           same(found_.planes[0].variable, found_.form.depth[0].variable) &&
           has_three_neighbours(found_, 0) && has_three_neighbours(found_, 1);
  }

  // As many lines of squares as fit in half of the L2 cache; at least as many as make reading the
  // weights cheap.
  bool choose_strip() {
    const std::int64_t of_line = 16 * found_.all_planes() * found_.squares_of_line() * 4;
    const std::int64_t fewest = options_.target.cpp.fewest_points_of_strip;
    const std::int64_t lines = (found_.all_lines() + 1) / 2;
    const std::int64_t needed = (fewest + found_.squares_of_line() - 1) / found_.squares_of_line();
    const std::int64_t fit = options_.target.caches.l2 / 2 / of_line;
    const std::int64_t most = std::clamp(fit, std::min(needed, lines), lines);
    const std::int64_t strips = (lines + most - 1) / most;
    found_.strip_lines = std::min(2 * ((lines + strips - 1) / strips), found_.all_lines());
    return found_.strip_squares() >= fewest;
  }

  bool choose_tile() {
    const int lanes = options_.target.vectors.bits / 32;
    const auto tile = choose_window_tile(options_.target, lanes, found_.squares_of_line(),
                                         found_.form.columns[0].extent.number());
    if (tile) found_.tile = *tile;
    return tile.has_value();
  }

  // Each plane of a square is transformed once for all channels, and each channel once for all
  // planes; squares at the edge may be half empty.
  bool pays() const {
    const std::int64_t channels = found_.form.columns[0].extent.number();
    const std::int64_t squares = (found_.all_lines() + 1) / 2 * found_.squares_of_line();
    const std::int64_t points = found_.all_lines() * found_.points();
    const std::int64_t fewest = options_.target.cpp.fewest_transformed_channels;
    return std::min(channels, found_.all_planes()) >= fewest &&
           16 * squares * 100 <= 9 * points * options_.target.cpp.most_percent_transformed;
  }

  void choose_blocks() {
    const schedule::Caches& caches = options_.target.caches;
    const std::int64_t image = found_.image_lines(2 * found_.square_lines()) * found_.along().count;
    found_.plane_pitch = image;
    found_.element_pitch = spread_over_sets(found_.all_planes() * found_.strip_squares(), 4);
    found_.staged_planes =
        std::clamp<std::int64_t>(caches.l1 / 2 / (4 * image), 1, found_.all_planes());
    const std::int64_t panel = 16 * found_.strip_squares() * found_.tile.columns() * 4;
    found_.group_panels = std::max<std::int64_t>(1, caches.l2 / 2 / panel);
    const std::int64_t room = caches.l1 * 5 / 8 / (4 * found_.tile.columns());
    const std::int64_t blocks = (found_.all_planes() + room - 1) / room;
    found_.block_steps = (found_.all_planes() + blocks - 1) / blocks;
  }

  const Kernel& kernel_;
  const CppOptions& options_;
  WinogradProduct found_{};
};

}  // namespace detail

SINTER_INLINE Optional<WinogradProduct> winograd_product(const Kernel& kernel,
                                                         const ProductForm& form,
                                                         const CppOptions& options) {
  auto windows = windows_of(kernel, form, options);
  if (!windows) return {};
  return detail::WinogradFinder(kernel, std::move(*windows), options).run();
}

SINTER_INLINE ProductDecision weights_of(const Kernel& kernel, const WinogradProduct& product,
                                         const CppOptions& options) {
  ProductDecision how = weights_of(kernel, static_cast<const WindowProduct&>(product), options);
  how.transforms_panels = true;
  how.packed_argument = call_invariant_argument(how);
  return how;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
