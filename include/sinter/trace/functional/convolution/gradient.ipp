#pragma once

#include <algorithm>  // std::max, std::min
#include <numeric>    // std::gcd

#include <sinter/base/container/vector.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/functional/convolution/gradient.hpp>
#include <sinter/trace/functional/convolution/grouped.hpp>
#include <sinter/trace/functional/convolution/ungrouped.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>
#include <sinter/trace/ops/movement/covering_windows.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE Optional<Phase> phase_of(const WindowAxis& axis, std::int64_t start) {
  Phase phase;
  phase.apart = axis.step / std::gcd(axis.step, axis.dilation);
  const auto ahead = [&] { return start + axis.low - phase.first * axis.dilation; };
  while (phase.first < axis.size && ahead() % axis.step != 0) ++phase.first;
  if (phase.first == axis.size) return {};
  WindowAxis& own = phase.windows;
  own.size = (axis.size - phase.first + phase.apart - 1) / phase.apart;
  own.dilation = axis.dilation * phase.apart / axis.step;
  // With this many elements of padding at the end, the gradients cover the input for every `start`.
  const std::int64_t more =
      floor_div(Extent(axis.step - 2 + axis.reach() - axis.low - axis.high), axis.step).number();
  own.low = own.reach() - 1 - ahead() / axis.step;
  own.high = more + ahead() / axis.step;
  return phase;
}

// Splits the channels, axis 1, into (groups, channels per group).
SINTER_INLINE Tensor split_channels(const Tensor& x, std::int64_t groups, Where where) {
  Shape shape{x.shape()[0], groups, floor_div(x.shape()[1], groups)};
  for (int axis = 2; axis < x.ndim(); ++axis) shape.push_back(x.shape()[axis]);
  return reshape({x, where}, shape);
}

namespace grouped {

// The weight as (groups, out, in, covering windows, step, ...): for each residue of a position in
// the input modulo the step, the element of each covering window at that position.
SINTER_INLINE Tensor weight_by_residue(const Tensor& weight, std::int64_t groups,
                                       const Vector<WindowAxis>& axes,
                                       const Vector<CoveringWindows>& covering, Where where) {
  Shape split{groups, floor_div(weight.shape()[0], groups), weight.shape()[1]}, divided = split;
  std::vector<std::pair<Extent, Extent>> widths(3, {0, 0});
  std::vector<int> reversed;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const CoveringWindows& cover = covering[i];
    const std::int64_t elements = cover.axis.size * axes[i].step;
    split.push_back(axes[i].size);
    widths.emplace_back(cover.skipped, elements - axes[i].size - cover.skipped);
    reversed.push_back(divided.size());
    divided.push_back(cover.axis.size), divided.push_back(axes[i].step);
  }
  const Tensor padded = pad({reshape({weight, where}, split), where}, widths);
  return flip({reshape({padded, where}, divided), where}, reversed);
}

// With a stride, an element of the input is in different elements of the windows for each residue.
// The residues are rows of one product, since they share the windows that it reads.
SINTER_INLINE Tensor gradient_by_residue(const Tensor& g, const Tensor& weight, const Shape& shape,
                                         std::int64_t groups, const Vector<WindowAxis>& axes,
                                         std::string_view op, Where where) {
  const auto spatial = static_cast<int>(axes.size());
  Vector<CoveringWindows> covering;
  Vector<WindowAxis> along;
  Shape whole{shape[0], shape[1]};
  std::vector<std::int64_t> lhs{2}, rhs{1};
  std::vector<int> order{1, 0, 2 + spatial};
  for (int i = 0; i < spatial; ++i) {
    const WindowAxis& axis = axes[static_cast<std::size_t>(i)];
    covering.push_back(covering_windows(axis, settled(shape[i + 2], where).number(),
                                        settled(g.shape()[i + 2], where).number()));
    along.push_back(covering.back().axis);
    whole.push_back(covering.back().steps * axis.step);
    lhs.push_back(3 + spatial + i), rhs.push_back(3 + 2 * i);
    order.push_back(2 + i), order.push_back(3 + spatial + i);
  }
  const Tensor taken =
      windows(split_channels(g, groups, where), along, constant(0, g.dtype()), op, where);
  const Tensor product =
      record({.op = Op::dot_general,
              .attributes = {{"lhs_batch", std::vector<std::int64_t>{1}},
                             {"rhs_batch", std::vector<std::int64_t>{0}},
                             {"lhs_contract", lhs},
                             {"rhs_contract", rhs}}},
             {taken, weight_by_residue(weight, groups, axes, covering, where)}, where);
  // (groups, batch, steps..., in, residues...)
  Tensor result = reshape({permute({product, where}, order), where}, whole);
  for (int axis = 2; axis < shape.size(); ++axis) {
    if (same(whole[axis], settled(shape[axis], where))) continue;
    result = slice({result, where}, axis, 0, shape[axis]);
  }
  return result;
}

SINTER_INLINE bool has_residues(const Tensor& g, const Shape& shape, const Vector<WindowAxis>& axes,
                                Where where) {
  bool any = false, fits = true;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const int axis = static_cast<int>(i) + 2;
    any = any || axes[i].step > 1;
    fits = fits && axes[i].dilation == 1 && axes[i].low < axes[i].size &&
           settled(shape[axis], where).is_number() && settled(g.shape()[axis], where).is_number();
  }
  return any && fits;
}

}  // namespace grouped

SINTER_INLINE Tensor gradient_of_input(const Tensor& g, const Tensor& weight, const Shape& shape,
                                       std::int64_t groups, Vector<WindowAxis> axes,
                                       std::string_view op, Where where) {
  if (grouped::has_residues(g, shape, axes, where)) {
    return grouped::gradient_by_residue(g, weight, shape, groups, axes, op, where);
  }
  Tensor result = g;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    WindowAxis& window = axes[i];
    result = spread_apart(result, static_cast<int>(i) + 2, window.step, where);
    const std::int64_t low = window.reach() - 1 - window.low;
    window.high = window.reach() - 1 - window.high + window.step - 1;
    window.low = low, window.step = 1;
  }
  result =
      convolve_groups(result, transposed_weight(weight, groups, where), groups, axes, op, where);
  for (int axis = 2; axis < shape.size(); ++axis) {
    result = slice({result, where}, axis, 0, shape[axis]);
  }
  return result;
}

SINTER_INLINE Tensor gradient_of_weight(const Tensor& g, const Tensor& x, const Shape& shape,
                                        std::int64_t groups, const Vector<WindowAxis>& axes,
                                        std::string_view op, Where where) {
  const Tensor taken =
      windows(split_channels(x, groups, where), axes, constant(0, x.dtype()), op, where);
  const std::vector<std::int64_t> batch{1};
  std::vector<std::int64_t> summed{0};
  for (std::size_t i = 0; i < axes.size(); ++i) summed.push_back(static_cast<std::int64_t>(i) + 3);
  const Tensor product = record({.op = Op::dot_general,
                                 .attributes = {{"lhs_batch", batch},
                                                {"rhs_batch", batch},
                                                {"lhs_contract", summed},
                                                {"rhs_contract", summed}}},
                                {taken, split_channels(g, groups, where)}, where);
  // (groups, in, kernel..., out)
  return reshape({move_axis(product, product.ndim() - 1, 1, where), where}, shape);
}

namespace whole {

SINTER_INLINE Tensor gradient_of_input(const Tensor& g, const Tensor& weight, const Shape& shape,
                                       Vector<WindowAxis> axes, std::size_t axis,
                                       std::string_view op, Where where) {
  if (axis == axes.size()) return product(g, transposed_weight(weight, 1, where), axes, op, where);
  const auto position = static_cast<int>(axis) + 2;
  const WindowAxis window = axes[axis];
  std::vector<std::optional<Tensor>> found;
  Shape part;
  for (std::int64_t start = 0; start < window.step; ++start) {
    const auto phase = phase_of(window, start);
    found.emplace_back();
    if (!phase) continue;
    const WindowAxis& own = axes[axis] = phase->windows;
    const Tensor met = slice({g, where}, position, std::max<std::int64_t>(0, -own.low),
                             g.shape()[position] + std::min<std::int64_t>(0, own.high));
    const Tensor by = slice({weight, where}, position, phase->first, window.size, phase->apart);
    axes[axis].low = std::max<std::int64_t>(0, own.low);
    axes[axis].high = std::max<std::int64_t>(0, own.high);
    found.back() = gradient_of_input(met, by, shape, axes, axis + 1, op, where);
    part = found.back()->shape();
  }
  std::vector<Tensor> parts;
  for (const auto& one : found) parts.push_back(one ? *one : zeros(part, g.dtype(), where));
  Tensor result = parts[0];
  if (window.step > 1) {
    part[position] *= window.step;
    result = reshape({stack(parts, position + 1), where}, part);
  }
  return slice({result, where}, position, 0, shape[position]);
}

SINTER_INLINE Tensor gradient_of_weight(const Tensor& g, const Tensor& x,
                                        const Vector<WindowAxis>& axes, std::string_view op,
                                        Where where) {
  const Tensor taken = windows(x, axes, constant(0, x.dtype()), op, where);
  std::vector<std::int64_t> summed{0};
  for (std::size_t i = 0; i < axes.size(); ++i) summed.push_back(static_cast<std::int64_t>(i) + 2);
  const Tensor result = contract(taken, g, summed, summed, where);  // (in, kernel..., out)
  return move_axis(result, result.ndim() - 1, 0, where);
}

SINTER_INLINE bool overlaps(const Tensor& x, const Tensor& weight, const Vector<WindowAxis>& axes,
                            Where where) {
  constexpr std::int64_t most_phases = 16, least_channels = 16;
  const Extent channels = settled(weight.shape()[1], where);
  if (channels.is_number() && channels.number() < least_channels) return false;
  std::int64_t phases = 1;
  bool any = false, fits = is_floating(x.dtype());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const WindowAxis& axis = axes[i];
    any = any || axis.reach() > axis.step;
    fits = fits && axis.low < axis.reach() && axis.high < axis.reach() && !axis.rounds_up;
    fits = fits && !same(x.shape()[static_cast<int>(i) + 2], 0) && axis.step <= most_phases;
    phases = std::min(most_phases + 1, phases * axis.step);
  }
  return any && fits && phases <= most_phases;
}

}  // namespace whole

}  // namespace sinter::inline SINTER_ABI::detail
