#pragma once

#include <algorithm>  // std::max, std::min
#include <utility>    // std::move, std::swap

#include <sinter/base/container/algorithm.hpp>
#include <sinter/codegen/cpp/window/window_product.hpp>
#include <sinter/codegen/cpp/window/window_tile.hpp>
#include <sinter/codegen/cpp/window/winograd.hpp>
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

  Optional<WindowProduct> run() {
    if (!has_known_sizes() || !find_axes()) return {};
    if (!choose_winograd(found_, kernel_, options_) && (!choose_tile() || !choose_strip()))
      return {};
    const ProductDecision how = weights_of(kernel_, found_, options_);
    if (how.uses_bf16_dot || how.method != ProductDecision::Method::tiles) return {};
    if (!overlap_ && !pays_for_points(how)) return {};
    return std::move(found_);
  }

 private:
  // Whether a strip pays for windows of one point, or that are apart: for weights that are packed
  // once, and few points, in planes that are contiguous. If the points fill whole vectors, a plain
  // product is faster: 64 x 64 by 64 points takes 3.8 us instead of 4.9, 2048 x 2048 by 64 points
  // 3100 us instead of 3480. For 49 points, the strip takes half of the time of the product.
  bool pays_for_points(const ProductDecision& how) const {
    const schedule::CppLimits& limits = options_.target.cpp;
    const std::int64_t most =
        bounds(how.depth).min < limits.most_unsplit_depth ? limits.few_points : limits.most_points;
    return found_.points() % lanes() != 0 && how.packed_argument >= 0 && how.rows.is_number() &&
           how.rows.number() <= most && how.lies_along(how.left_value, {found_.line}, 2);
  }

  // Sorts the loops of the rows, and checks that those of the strip have numbers as extents.
  bool has_known_sizes() {
    const ProductForm& form = found_.form;
    const DType dtype = kernel_.instructions[static_cast<std::size_t>(form.sum)].dtype;
    if (!allows_window_tiles(dtype, options_)) return false;
    if (form.rows.empty() || form.columns.size() != 1 || form.depth.empty()) return false;
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
      if (over) {
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
    overlap_ = reads > elements;
    return are_separate() && is_shareable(kernel_, window) &&
           is_element(kernel_, window, found_.axes);
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

  int lanes() const {
    const DType dtype = kernel_.instructions[static_cast<std::size_t>(found_.form.sum)].dtype;
    return options_.target.vectors.bits / (8 * static_cast<int>(info(dtype).size));
  }

  // As many sums as fit in the registers, beside a row of weights and an element of the window.
  bool choose_tile() {
    const auto tile = choose_window_tile(options_.target, lanes(), found_.points(),
                                         found_.form.columns[0].extent.number());
    if (tile) found_.tile = *tile;
    return tile.has_value();
  }

  // Chooses the lines and planes of a strip. If all planes of enough points do not fit in half of
  // the L2 cache, some planes of as many points as there is room for the sums of.
  bool choose_strip() {
    const std::int64_t planes = count_of(found_.planes).number(), all = found_.all_lines();
    const std::int64_t fewest = options_.target.cpp.fewest_points_of_strip;
    if (all * found_.points() < fewest) return false;  // reads each weight for few multiply-adds
    const std::int64_t fit = options_.target.caches.l2 / 2 / element_size();
    const auto most_lines = [&](const auto& fits) {
      std::int64_t lines = all;
      while (lines > 1 && !fits(lines)) --lines;
      return lines;
    };
    const auto has_planes = [&](std::int64_t lines) { return planes * elements_of(lines) <= fit; };
    std::int64_t most =
        most_lines([&](std::int64_t lines) { return has_planes(lines) && is_short(lines); });
    const bool divides = !has_planes(most) || most * found_.points() < fewest;
    const std::int64_t columns = found_.form.columns[0].extent.number();
    if (divides) {
      most = most_lines([&](std::int64_t lines) {
        return lines * found_.points() * columns <= 2 * fit || lines * found_.points() < fewest;
      });
    }
    std::int64_t strips = (all + most - 1) / most;
    if (strips > 1) strips += strips % 2;  // nearly as many lines for each of two threads
    found_.strip_lines = (all + strips - 1) / strips;
    found_.plane_pitch = elements_of(found_.strip_lines);
    return choose_steps(divides ? (planes * elements_of(found_.strip_lines) + fit - 1) / fit : 1);
  }

  // Whether a strip of `lines` lines is short enough: its sums, before and after they are
  // transposed, take a small part of the L2 cache. A strip of few points always is.
  bool is_short(std::int64_t lines) const {
    const schedule::CppLimits& limits = options_.target.cpp;
    const std::int64_t points = lines * found_.points();
    const std::int64_t sums = 2 * points * found_.tile.columns() * element_size();
    return points <= limits.enough_points_of_strip ||
           sums * limits.l2_share_of_strip_sums <= options_.target.caches.l2;
  }

  std::int64_t element_size() const {
    const Instruction& sum = kernel_.instructions[static_cast<std::size_t>(found_.form.sum)];
    return static_cast<std::int64_t>(info(sum.dtype).size);
  }

  std::int64_t elements_of(std::int64_t lines) const {
    return spread_over_sets(found_.image_lines(lines) * found_.along().count, element_size());
  }

  // Divides the planes into parts, and these into blocks whose weights fit in the L1 cache.
  bool choose_steps(std::int64_t parts) {
    const std::int64_t steps = found_.form.depth[0].extent.number();
    const std::int64_t step = count_of(found_.form.depth).number() / steps;
    if (parts > steps) return false;
    if (parts > 1 && (found_.planes.empty() || !is_first_of_depth(found_.planes[0]))) return false;
    found_.strip_steps = (steps + parts - 1) / parts;
    found_.block_steps = steps_of_block(options_.target.caches, found_.strip_steps,
                                        element_size() * found_.tile.columns() * step);
    return true;
  }

  bool is_first_of_depth(const Loop& loop) const {
    return same(loop.variable, found_.form.depth[0].variable);
  }

  const Kernel& kernel_;
  const CppOptions& options_;
  WindowProduct found_{};
  bool overlap_ = true;  // whether neighbouring windows do
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

SINTER_INLINE Optional<WindowProduct> window_product(const Kernel& kernel, const ProductForm& form,
                                                     const CppOptions& options) {
  return detail::WindowFinder(kernel, form, options).run();
}

SINTER_INLINE ProductDecision weights_of(const Kernel& kernel, const WindowProduct& product,
                                         const CppOptions& options) {
  ProductDecision how(kernel, product.form, options);
  how.tile = product.tile;
  how.pitch = how.micro_pitch = product.tile.columns();
  how.transforms_panels = product.winograd.has_value();
  how.left = ProductDecision::Packing::none;
  how.transposes_input = how.left_by_blocks = false;
  how.depth_blocks = how.packs_all_depth_blocks = false;
  how.step_loops = 1;
  how.inner = count_of({product.form.depth.begin() + 1, product.form.depth.end()});
  how.block_steps = product.form.depth[0].extent;
  // However many rows there are: weights of convolutions are small where images are large.
  how.packed_argument = how.call_invariant_argument();
  return how;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
