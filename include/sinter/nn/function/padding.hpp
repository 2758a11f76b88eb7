#pragma once
// Padding layers.

#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/ops/movement/pad.hpp>
#include <sinter/trace/ops/movement/window.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

/// Pads the last `axes` axes: torch's list has {before, after} of the last axis, then of the one
/// before it, ...; or one number for all. A negative number crops.
Tensor pad_last(const Operand& x, const std::vector<std::int64_t>& padding, int axes, PadMode mode,
                double value);

}  // namespace detail

/// Pads `axes` spatial axes with elements of x, or with 0.
template <int axes, PadMode mode>
struct PaddingLayer {
  std::vector<std::int64_t> padding{0};
  SINTER_MODULE(PaddingLayer, padding)

  PaddingLayer() = default;
  PaddingLayer(sinter::detail::PerAxis widths) : padding(widths.list()) {}

  Tensor forward(Operand x) const { return detail::pad_last(x, padding, axes, mode, 0); }
};

/// Pads `axes` spatial axes with a number.
template <int axes>
struct ConstantPad {
  std::vector<std::int64_t> padding{0};
  double value = 0;
  SINTER_MODULE(ConstantPad, padding, value)

  ConstantPad() = default;
  ConstantPad(sinter::detail::PerAxis widths, double number)
      : padding(widths.list()), value(number) {}

  Tensor forward(Operand x) const {
    return detail::pad_last(x, padding, axes, PadMode::constant, value);
  }
};

/// ZeroPad2d(1), or ZeroPad2d({left, right, top, bottom}).
///
/// Shapes   (batch, channels, spatial axes) or (channels, spatial axes)
/// Throws   ShapeError for another rank or number of widths, or if the axis is too short for them
using ZeroPad1d = PaddingLayer<1, PadMode::constant>;
using ZeroPad2d = PaddingLayer<2, PadMode::constant>;
using ZeroPad3d = PaddingLayer<3, PadMode::constant>;
using ReflectionPad1d = PaddingLayer<1, PadMode::reflect>;
using ReflectionPad2d = PaddingLayer<2, PadMode::reflect>;
using ReflectionPad3d = PaddingLayer<3, PadMode::reflect>;
using ReplicationPad1d = PaddingLayer<1, PadMode::replicate>;
using ReplicationPad2d = PaddingLayer<2, PadMode::replicate>;
using ReplicationPad3d = PaddingLayer<3, PadMode::replicate>;
using CircularPad1d = PaddingLayer<1, PadMode::circular>;
using CircularPad2d = PaddingLayer<2, PadMode::circular>;
using CircularPad3d = PaddingLayer<3, PadMode::circular>;
using ConstantPad1d = ConstantPad<1>;
using ConstantPad2d = ConstantPad<2>;
using ConstantPad3d = ConstantPad<3>;

}  // namespace sinter::inline SINTER_ABI::nn

#ifdef SINTER_DEFINITIONS
#include <sinter/nn/function/padding.ipp>
#endif
