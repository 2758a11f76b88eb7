#pragma once

#include <cmath>  // std::floor

#include <sinter/base/container/vector.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/core/size_value.hpp>
#include <sinter/trace/functional/pool/adaptive.hpp>
#include <sinter/trace/functional/pool/interpolate.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/movement/window.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE OutputSize::OutputSize(Extent size) : list_{size} {}
SINTER_INLINE OutputSize::OutputSize(std::initializer_list<Extent> sizes) : list_(sizes) {}
SINTER_INLINE OutputSize::OutputSize(const std::vector<Extent>& sizes)
    : list_(sizes.begin(), sizes.end()) {}

SINTER_INLINE ScaleFactor::ScaleFactor(double factor) : list_{factor} {}
SINTER_INLINE ScaleFactor::ScaleFactor(std::initializer_list<double> factors) : list_(factors) {}
SINTER_INLINE ScaleFactor::ScaleFactor(const std::vector<double>& factors)
    : list_(factors.begin(), factors.end()) {}

SINTER_INLINE InterpolationMode::InterpolationMode(const char* name, Where where)
    : mode_(Interpolation::nearest) {
  constexpr std::string_view names[]{"nearest",   "nearest-exact", "linear", "bilinear",
                                     "trilinear", "bicubic",       "area"};
  std::uint8_t number = 0;
  for (const std::string_view known : names) {
    if (known == name) {
      mode_ = Interpolation{number};
      return;
    }
    ++number;
  }
  throw ValueError({.op = "interpolate",
                    .what = "there is no such mode",
                    .facts = {{"mode", name}},
                    .rule = "nearest, nearest-exact, linear, bilinear, trilinear, bicubic or area",
                    .fix = "use one of these",
                    .where = where});
}

// Resizing of one axis from `from` to `to` elements; `step` input elements correspond to one result
// element.
struct Resampled {
  int axis = 0;
  Extent from = 0, to = 0;
  std::optional<double> factor{};  ///< The scale factor, if given.
};

// floor(size * factor) for a possibly symbolic size: writes the factor as a fraction of small
// integers.
SINTER_INLINE Extent scaled_size(Extent size, double factor, Where where) {
  if (size.is_number()) {
    return static_cast<std::int64_t>(std::floor(static_cast<double>(size.number()) * factor));
  }
  for (std::int64_t divisor = 1; divisor <= 64; ++divisor) {
    const double product = factor * static_cast<double>(divisor);
    const bool is_exact = product == std::floor(product) &&
                          product / static_cast<double>(divisor) == factor && product < 1e9;
    if (is_exact) return floor_div(size * static_cast<std::int64_t>(product), divisor);
  }
  return scaled_size(size.value(where), factor, where);
}

[[noreturn]] SINTER_INLINE void throw_interpolate(const Operand& x, std::string what,
                                                  std::string rule, std::string fix) {
  throw ValueError({.op = "interpolate",
                    .what = what,
                    .facts = {{"x", to_string(x)}},
                    .rule = rule,
                    .fix = fix,
                    .where = x.where});
}

SINTER_INLINE Vector<Resampled> resampled_axes(const Operand& x,
                                               const InterpolateOptions& options) {
  const Vector<Extent>& sizes = options.size.list();
  const Vector<double>& factors = options.scale_factor.list();
  const Shape shape = x.shape();
  if (sizes.empty() == factors.empty()) {
    throw_interpolate(x, "there is not either a size or a factor",
                      "one of size and scale_factor is given",
                      "interpolate(x, {.scale_factor = 2})");
  }
  const auto axes = static_cast<std::size_t>(shape.size() - 2);
  const std::size_t count = sizes.size() + factors.size();
  if (count != 1 && count != axes) {
    throw_interpolate(x, "there is not one size for each spatial axis",
                      "one size or factor, or as many as x has spatial axes",
                      "write one number if all axes are alike");
  }
  Vector<Resampled> result;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::size_t given = count == 1 ? 0 : i;
    Resampled one{.axis = static_cast<int>(i) + 2, .from = shape[static_cast<int>(i) + 2]};
    if (!factors.empty()) one.factor = factors[given];
    one.to = sizes.empty() ? scaled_size(one.from, factors[given], x.where) : sizes[given];
    if (!at_least(one.from, 1, x.where) || !at_least(one.to, 1, x.where)) {
      throw_interpolate(x, "a size is 0", "sizes before and after are at least 1",
                        "use a larger size or factor");
    }
    result.push_back(one);
  }
  return result;
}

// The distance of two elements of the result in elements of the input, as a number in `dtype`.
SINTER_INLINE Tensor step_of(const Resampled& one, bool align_corners, DType dtype, Where where) {
  const auto size = [&](Extent extent) { return Operand(size_value(extent, dtype, where), where); };
  if (!align_corners && one.factor) {
    return constant_tensor(constant(1 / *one.factor), {dtype, {}}, where);
  }
  if (!align_corners) return div(size(one.from), size(one.to));
  const Tensor gaps = maximum({sub(size(one.to), {1, where}), where}, {1, where});
  const Tensor step = div({sub(size(one.from), {1, where}), where}, {gaps, where});
  const Tensor is_one = eq(size(one.to), {1, where});
  return sinter::where({is_one, where}, {0, where}, {step, where});
}

// The positions of the result elements in input coordinates.
SINTER_INLINE Tensor positions_of(const Resampled& one, bool align_corners, DType dtype,
                                  Where where) {
  const Operand step(step_of(one, align_corners, dtype, where), where);
  const Operand index(cast({arange(one.to, where), where}, dtype), where);
  if (align_corners) return mul(index, step);
  const Tensor centers = mul({add(index, {0.5, where}), where}, step);
  return sub({centers, where}, {0.5, where});
}

// `x` at `indices` (result) along the axis, clamped to the axis.
SINTER_INLINE Tensor taken_at(const Tensor& x, const Resampled& one, const Tensor& indices,
                              Where where) {
  const Operand last(size_value(one.from - 1, i64, where), where);
  const Tensor inside = clamp({indices, where}, {0, where}, last);
  return index_select({x, where}, one.axis, {inside, where});
}

// Positions are f32 for every dtype of x, as in torch.
SINTER_INLINE Tensor nearest(const Tensor& x, const Resampled& one, bool exact, Where where) {
  if (one.from.is_number() && one.to.is_number() && one.from.number() == one.to.number() &&
      one.factor.value_or(1) == 1) {
    return x;
  }
  for (std::int64_t times = 2; times <= 8; ++times) {
    const bool repeats =
        same(one.to, one.from * times) &&
        one.factor.value_or(static_cast<double>(times)) == static_cast<double>(times);
    if (!repeats || x.ndim() == max_rank) continue;
    Shape apart = x.shape(), whole = x.shape();
    apart[one.axis] = one.from;
    Shape repeated;
    for (int axis = 0; axis < x.ndim(); ++axis) {
      repeated.push_back(x.shape()[axis]);
      if (axis == one.axis) repeated.push_back(times);
    }
    whole[one.axis] = one.to;
    const Tensor split = unsqueeze({x, where}, one.axis + 1);
    return reshape({expand({split, where}, repeated), where}, whole);
  }
  const Operand step(step_of(one, false, f32, where), where);
  Operand index(cast({arange(one.to, where), where}, f32), where);
  if (exact) index = {add(index, {0.5, where}), where};
  const Tensor position = floor({mul(index, step), where});
  return taken_at(x, one, cast({position, where}, i64), where);
}

// A weight for each result element, reshaped to broadcast with x.
SINTER_INLINE Tensor broadcast_along(const Tensor& weights, const Tensor& x, int axis,
                                     Where where) {
  Shape shape{weights.shape()[0]};
  for (int i = axis + 1; i < x.ndim(); ++i) shape.push_back(1);
  return reshape({weights, where}, shape);
}

SINTER_INLINE Tensor linear_along(const Tensor& x, const Resampled& one, bool align_corners,
                                  Where where) {
  const Tensor free = positions_of(one, align_corners, x.dtype(), where);
  const Tensor position = maximum({free, where}, {0, where});
  const Tensor below = floor({position, where});
  const Tensor index = cast({below, where}, i64);
  const Tensor part = broadcast_along(sub({position, where}, {below, where}), x, one.axis, where);
  const Tensor first = taken_at(x, one, index, where);
  const Tensor second = taken_at(x, one, add({index, where}, {1, where}), where);
  const Tensor rest = sub({1, where}, {part, where});
  return add({mul({first, where}, {rest, where}), where},
             {mul({second, where}, {part, where}), where});
}

// a[0] + a[1] t + a[2] t^2 + a[3] t^3
SINTER_INLINE Tensor cubic(const Tensor& t, const double (&a)[4], Where where) {
  Tensor result = mul({t, where}, {a[3], where});
  for (int i = 2; i > 0; --i) {
    result = mul({add({result, where}, {a[i], where}), where}, {t, where});
  }
  return add({result, where}, {a[0], where});
}

// The weights of the convolution kernel with a = -0.75, at the distances t + 1, t, 1 - t, 2 - t.
SINTER_INLINE Tensor cubic_along(const Tensor& x, const Resampled& one, bool align_corners,
                                 Where where) {
  const Tensor position = positions_of(one, align_corners, x.dtype(), where);
  const Tensor below = floor({position, where});
  const Tensor index = cast({below, where}, i64);
  const Tensor t = sub({position, where}, {below, where});
  const Tensor back = sub({1, where}, {t, where});
  constexpr double near_kernel[]{1, 0, -2.25, 1.25}, far_kernel[]{3, -6, 3.75, -0.75};
  const Tensor weights[]{cubic(add({t, where}, {1, where}), far_kernel, where),
                         cubic(t, near_kernel, where), cubic(back, near_kernel, where),
                         cubic(add({back, where}, {1, where}), far_kernel, where)};
  Tensor result;
  for (int i = 0; i < 4; ++i) {
    const Tensor taken = taken_at(x, one, add({index, where}, {i - 1, where}), where);
    const Tensor term =
        mul({taken, where}, {broadcast_along(weights[i], x, one.axis, where), where});
    result = i == 0 ? term : add({result, where}, {term, where});
  }
  return result;
}

SINTER_INLINE void require_mode(const Operand& x, Interpolation mode, bool align_corners) {
  const int axes = x.shape().size() - 2;
  const bool is_nearest = mode == Interpolation::nearest || mode == Interpolation::nearest_exact;
  const bool is_plain = is_nearest || mode == Interpolation::area;
  int needed = axes;
  if (mode == Interpolation::linear) needed = 1;
  if (mode == Interpolation::bilinear || mode == Interpolation::bicubic) needed = 2;
  if (mode == Interpolation::trilinear) needed = 3;
  Report report{.op = "interpolate", .facts = {{"x", to_string(x)}}, .where = x.where};
  if (axes < 1 || axes > 3 || axes != needed) {
    report.what = "the mode does not fit the number of spatial axes";
    report.rule = "linear has one, bilinear and bicubic two, trilinear three spatial axes";
    report.fix = "x is (batch, channels, spatial axes); unsqueeze what is missing";
    throw ShapeError(report);
  }
  if (align_corners && is_plain) {
    throw_interpolate(x, "the mode has no corners to align",
                      "align_corners is for linear, bilinear, trilinear and bicubic",
                      "leave align_corners out");
  }
  if (is_nearest || is_floating(x.type().dtype)) return;
  report.what = "integers cannot be interpolated";
  report.rule = "x is of a floating dtype, but for nearest";
  report.fix = "cast it: x.to(f32)";
  report.see = "dtypes";
  throw DTypeError(report);
}

SINTER_INLINE Tensor area(const Operand& x, const Vector<Resampled>& axes) {
  std::vector<std::int64_t> sizes;
  for (const Resampled& one : axes) sizes.push_back(one.to.value(x.where));
  if (axes.size() == 1) return adaptive_avg_pool1d(x, sizes);
  return axes.size() == 2 ? adaptive_avg_pool2d(x, sizes) : adaptive_avg_pool3d(x, sizes);
}

}  // namespace detail

SINTER_INLINE Tensor interpolate(Operand x, InterpolateOptions options) {
  const detail::PublicCall call("interpolate", x.where);
  const Where at = x.where;
  const Interpolation mode = options.mode.value();
  detail::require_mode(x, mode, options.align_corners);
  const auto axes = detail::resampled_axes(x, options);
  if (mode == Interpolation::area) return detail::area(x, axes);
  const bool exact = mode == Interpolation::nearest_exact;
  const bool is_nearest = exact || mode == Interpolation::nearest;
  const DType dtype = x.type().dtype;
  Tensor result = is_nearest ? x.tensor() : detail::cast(x, detail::computed_in(dtype));
  for (const detail::Resampled& one : axes) {
    if (is_nearest) {
      result = detail::nearest(result, one, exact, at);
    } else if (mode == Interpolation::bicubic) {
      result = detail::cubic_along(result, one, options.align_corners, at);
    } else {
      result = detail::linear_along(result, one, options.align_corners, at);
    }
  }
  return detail::cast({result, at}, dtype);
}

}  // namespace sinter::inline SINTER_ABI
