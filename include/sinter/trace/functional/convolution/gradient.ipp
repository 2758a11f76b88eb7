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

SINTER_INLINE Tensor gradient_of_input(const Tensor& g, const Tensor& weight, const Shape& shape,
                                       std::int64_t groups, Vector<WindowAxis> axes,
                                       std::string_view op, Where where) {
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
