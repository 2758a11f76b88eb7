#pragma once

#include <algorithm>  // std::max, std::min
#include <numeric>    // std::gcd
#include <string>     // std::string
#include <utility>    // std::pair

#include <sinter/base/container/vector.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/functional/convolution/grouped.hpp>
#include <sinter/trace/functional/convolution/ungrouped.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/movement/concatenate.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/transform/custom_gradient.hpp>

namespace sinter::inline SINTER_ABI::detail {

namespace whole {

struct Call {
  std::string op;
  Where where;
};

SINTER_INLINE Tensor contract(const Tensor& lhs, const Tensor& rhs,
                              const std::vector<std::int64_t>& of_lhs,
                              const std::vector<std::int64_t>& of_rhs, Where where) {
  const std::vector<std::int64_t> none;
  return record({.op = Op::dot_general,
                 .attributes = {{"lhs_batch", none},
                                {"rhs_batch", none},
                                {"lhs_contract", of_lhs},
                                {"rhs_contract", of_rhs}}},
                {lhs, rhs}, where);
}

// The windows are the right operand, so that results are contiguous along positions, in the order
// of their readers.
SINTER_INLINE Tensor product(const Tensor& x, const Tensor& weight, const Vector<WindowAxis>& axes,
                             const Call& call) {
  const auto spatial = static_cast<std::int64_t>(axes.size());
  const Tensor taken = windows(x, axes, constant(0, x.dtype()), call.op, call.where);
  std::vector<std::int64_t> lhs{1}, rhs{1};
  for (std::int64_t i = 0; i < spatial; ++i) lhs.push_back(2 + i), rhs.push_back(2 + spatial + i);
  const Tensor result = contract(weight, taken, lhs, rhs, call.where);
  return move_axis(result, 0, 1, call.where);
}

// Recursion over the axes from `axis` on.
SINTER_INLINE Tensor gradient_of_input(const Tensor& g, const Tensor& weight, const Shape& shape,
                                       Vector<WindowAxis> axes, std::size_t axis,
                                       const Call& call) {
  const Where where = call.where;
  if (axis == axes.size()) return product(g, transposed_weight(weight, 1, where), axes, call);
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
    found.back() = gradient_of_input(met, by, shape, axes, axis + 1, call);
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
                                        const Vector<WindowAxis>& axes, const Call& call) {
  const Tensor taken = windows(x, axes, constant(0, x.dtype()), call.op, call.where);
  std::vector<std::int64_t> summed{0};
  for (std::size_t i = 0; i < axes.size(); ++i) summed.push_back(static_cast<std::int64_t>(i) + 2);
  const Tensor result = contract(taken, g, summed, summed, call.where);  // (in, kernel..., out)
  return move_axis(result, result.ndim() - 1, 0, call.where);
}

// True if the generic rules would materialize and add up gradients of overlapping windows, and a
// few convolutions are cheaper: these have as many results as x has channels, which must amortize
// the windows.
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

SINTER_INLINE Optional<Phase> phase_of(const WindowAxis& axis, std::int64_t start) {
  Phase phase;
  phase.apart = axis.step / std::gcd(axis.step, axis.dilation);
  const auto ahead = [&] { return start + axis.low - phase.first * axis.dilation; };
  while (phase.first < axis.size && ahead() % axis.step != 0) ++phase.first;
  if (phase.first == axis.size) return {};
  WindowAxis& own = phase.windows;
  own.size = (axis.size - phase.first + phase.apart - 1) / phase.apart;
  own.dilation = axis.dilation * phase.apart / axis.step;
  // The number of gradients plus this many elements suffices for any `start`.
  const std::int64_t more =
      floor_div(Extent(axis.step - 2 + axis.reach() - axis.low - axis.high), axis.step).number();
  own.low = own.reach() - 1 - ahead() / axis.step;
  own.high = more + ahead() / axis.step;
  return phase;
}

SINTER_INLINE Tensor convolve_whole(const Tensor& x, const Tensor& weight,
                                    const Vector<WindowAxis>& axes, std::string_view op,
                                    Where where) {
  const whole::Call call{std::string(op), where};
  if (!whole::overlaps(x, weight, axes, where)) return whole::product(x, weight, axes, call);
  const auto forward = [=](const Tensor& image, const Tensor& kernel) {
    return whole::product(image, kernel, axes, call);
  };
  const auto backward = [=](const Tensor& image, const Tensor& kernel, const Tensor&,
                            const Tensor& g) {
    return std::pair{whole::gradient_of_input(g, kernel, image.shape(), axes, 0, call),
                     whole::gradient_of_weight(g, image, axes, call)};
  };
  return custom_gradient(forward, backward, where)(x, weight);
}

}  // namespace sinter::inline SINTER_ABI::detail
