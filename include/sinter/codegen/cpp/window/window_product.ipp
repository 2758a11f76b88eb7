#pragma once

#include <algorithm>  // std::max, std::min
#include <utility>    // std::move, std::swap

#include <sinter/base/container/algorithm.hpp>
#include <sinter/codegen/cpp/product/packed_weights.hpp>
#include <sinter/codegen/cpp/window/window_product.hpp>
#include <sinter/codegen/cpp/window/window_tile.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

class WindowFinder {
 public:
  WindowFinder(const Kernel& kernel, const ProductForm& form, const CppOptions& options)
      : kernel_(kernel), options_(options) {
    found_.form = form;
    std::swap(found_.form.left, found_.form.right);
    std::swap(found_.form.rows, found_.form.columns);
  }

  // The axes, without decisions about tiles and strips.
  Optional<WindowProduct> windows() {
    if (!has_known_sizes() || !find_axes()) return {};
    return found_;
  }

  Optional<WindowProduct> run() {
    if (!windows() || !choose_tile() || !choose_strip()) return {};
    const ProductDecision how = weights_of(kernel_, found_, options_);
    if (how.uses_bf16_dot || how.method != ProductDecision::Method::tiles) return {};
    return std::move(found_);
  }

 private:
  // Sorts the loops of the rows, and checks that those of the strip have numbers as extents.
  bool has_known_sizes() {
    const ProductForm& form = found_.form;
    const DType dtype = kernel_.instructions[static_cast<std::size_t>(form.sum)].dtype;
    if (!allows_window_tiles(dtype, options_)) return false;
    if (form.rows.empty() || form.columns.size() != 1 || form.depth.size() < 2) return false;
    found_.line = form.rows.back();
    found_.outer = {form.rows.begin(), form.rows.end() - 1};
    return is_known(found_.line) && all_of(form.columns, is_known) && all_of(form.depth, is_known);
  }

  static bool is_known(const Loop& loop) {
    return loop.extent.is_number() && loop.extent.number() > 0;
  }

  // Finds the positions along the image, and checks that a window is a part of an image.
  bool find_axes() {
    const ValueId window = found_.form.left;
    const Vector<Loop>& depth = found_.form.depth;
    const Optional<WindowAxis> along = find_axis(kernel_, window, found_.line, depth);
    if (!along) return false;
    if (!found_.outer.empty() && is_known(found_.outer.back())) {
      const auto over = find_axis(kernel_, window, found_.outer.back(), depth);
      if (over && variables(over->value).size() > 1) {
        found_.axes.push_back(*over);
        found_.lines = {found_.outer.back()};
        found_.outer.pop_back();
      }
    }
    found_.axes.push_back(*along);
    std::int64_t reads = 1, elements = 1;
    for (const WindowAxis& axis : found_.axes) {
      for (const Extent variable : variables(axis.value)) reads *= extent_of(variable);
      elements *= axis.count;
    }
    for (const Loop& loop : found_.form.depth) {
      const auto has_loop = [&](const WindowAxis& axis) {
        return depends_on(axis.value, loop.variable);
      };
      if (none_of(found_.axes, has_loop)) found_.planes.push_back(loop);
    }
    return reads > elements && are_separate() && is_shareable(kernel_, found_.form.left) &&
           is_element(kernel_, found_.form.left, found_.axes);
  }

  std::int64_t extent_of(Extent variable) const {
    if (same(variable, found_.line.variable)) return found_.points();
    for (const Loop& loop : found_.lines)
      if (same(variable, loop.variable)) return loop.extent.number();
    for (const Loop& loop : found_.form.depth)
      if (same(variable, loop.variable)) return loop.extent.number();
    return 0;
  }

  // Whether each loop of an axis is in no other, and is one of those that axes are made of. A
  // window with more positions than there are points belongs to a weight gradient: see
  // WindowGradient.
  bool are_separate() const {
    for (std::size_t i = 0; i < found_.axes.size(); ++i) {
      const Loop& side = i + 1 == found_.axes.size() ? found_.line : found_.lines[0];
      for (const Extent variable : variables(found_.axes[i].value)) {
        const auto has_it = [&](const WindowAxis& one) { return depends_on(one.value, variable); };
        const std::int64_t extent = extent_of(variable);
        if (count_if(found_.axes, has_it) != 1 || extent == 0) return false;
        if (extent > side.extent.number()) return false;
      }
    }
    return true;
  }

  // As many sums as fit in the registers, beside a row of weights and an element of the window.
  bool choose_tile() {
    const DType dtype = kernel_.instructions[static_cast<std::size_t>(found_.form.sum)].dtype;
    const int lanes = options_.target.vectors.bits / (8 * static_cast<int>(info(dtype).size));
    const auto tile = choose_window_tile(options_.target, lanes, found_.points(),
                                         found_.form.columns[0].extent.number());
    if (tile) found_.tile = *tile;
    return tile.has_value();
  }

  // Chooses the lines of a strip, and the depth of a block of weights.
  bool choose_strip() {
    const DType dtype = kernel_.instructions[static_cast<std::size_t>(found_.form.sum)].dtype;
    const auto size = static_cast<std::int64_t>(info(dtype).size);
    const schedule::Caches& caches = options_.target.caches;
    const std::int64_t planes = count_of(found_.planes).number(), all = found_.all_lines();
    const std::int64_t fit = caches.l2 / 2 / size / planes;
    const auto elements = [&](std::int64_t lines) {
      return spread_over_sets(found_.image_lines(lines) * found_.along().count, size);
    };
    std::int64_t most = all;
    while (most > 1 && elements(most) > fit) --most;
    if (elements(most) > fit) return false;
    const std::int64_t strips = (all + most - 1) / most;
    found_.strip_lines = (all + strips - 1) / strips;
    if (found_.strip_lines * found_.points() < options_.target.cpp.fewest_points_of_strip) {
      return false;  // each weight is read again for few multiply-adds
    }
    found_.plane_pitch = elements(found_.strip_lines);
    const std::int64_t steps = found_.form.depth[0].extent.number();
    const std::int64_t step = count_of(found_.form.depth).number() / steps;
    const std::int64_t room = caches.l1 * 5 / 8 / (size * found_.tile.columns() * step);
    const std::int64_t blocks =
        (steps + std::max<std::int64_t>(room, 1) - 1) / std::max<std::int64_t>(room, 1);
    found_.block_steps = (steps + blocks - 1) / blocks;
    return true;
  }

  const Kernel& kernel_;
  const CppOptions& options_;
  WindowProduct found_{};
};

}  // namespace detail

SINTER_INLINE std::int64_t WindowProduct::point_step() const {
  return coefficient_of(along().value, line.variable)->number();
}

SINTER_INLINE Extent WindowProduct::stride(const Loop& loop) const {
  Extent index = 0;
  for (const Loop& plane : planes) index = index * plane.extent + plane.variable;
  return *coefficient_of(index * plane_pitch + image_index(), loop.variable);
}

SINTER_INLINE Optional<WindowProduct> windows_of(const Kernel& kernel, const ProductForm& form,
                                                 const CppOptions& options) {
  return detail::WindowFinder(kernel, form, options).windows();
}

SINTER_INLINE Optional<WindowProduct> window_product(const Kernel& kernel, const ProductForm& form,
                                                     const CppOptions& options) {
  return detail::WindowFinder(kernel, form, options).run();
}

SINTER_INLINE ProductDecision weights_of(const Kernel& kernel, const WindowProduct& product,
                                         const CppOptions& options) {
  ProductDecision how(kernel, product.form, options);
  how.tile = product.tile;
  how.pitch = how.micro_pitch = product.tile.columns();
  how.left = ProductDecision::Packing::none;
  how.transposes_input = how.left_by_blocks = false;
  how.depth_blocks = how.packs_all_depth_blocks = false;
  how.step_loops = 1;
  how.inner = count_of({product.form.depth.begin() + 1, product.form.depth.end()});
  how.block_steps = product.form.depth[0].extent;
  // However many rows there are: weights of convolutions are small where images are large.
  how.packed_argument = call_invariant_argument(how);
  return how;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
