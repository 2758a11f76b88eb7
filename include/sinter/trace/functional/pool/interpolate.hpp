#pragma once
// Resizing of images and signals, channels first.

#include <concepts>          // std::integral
#include <cstdint>           // std::uint8_t
#include <initializer_list>  // std::initializer_list
#include <string_view>       // std::string_view
#include <vector>            // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

enum class Interpolation : std::uint8_t {
  nearest,  ///< The element at floor(i * size / result size).
  nearest_exact,
  linear,     ///< Between 2 neighbours, of one spatial axis.
  bilinear,   ///< Of two.
  trilinear,  ///< Of three.
  bicubic,    ///< Between 4 neighbours along each of two axes.
  area        ///< The mean of what an element covers, as adaptive_avg_pool.
};

namespace detail {

/// An Interpolation, or its name: "bilinear", "nearest-exact".
class InterpolationMode {
 public:
  InterpolationMode(Interpolation mode) : mode_(mode) {}
  /// Throws   ValueError if there is no such mode
  InterpolationMode(const char* name, Where where = Where::current());
  Interpolation value() const { return mode_; }

 private:
  Interpolation mode_;
};

/// The result size: one for each spatial axis, or one for all of them.
class OutputSize {
 public:
  OutputSize() = default;
  OutputSize(std::integral auto size) : OutputSize(Extent(size)) {}
  OutputSize(Extent size);
  OutputSize(std::initializer_list<Extent> sizes);
  OutputSize(const std::vector<Extent>& sizes);
  const Vector<Extent>& list() const { return list_; }

 private:
  Vector<Extent> list_;
};

/// The scale factor: one for each spatial axis, or one for all of them.
class ScaleFactor {
 public:
  ScaleFactor() = default;
  ScaleFactor(double factor);
  ScaleFactor(std::initializer_list<double> factors);
  ScaleFactor(const std::vector<double>& factors);
  const Vector<double>& list() const { return list_; }

 private:
  Vector<double> list_;
};

}  // namespace detail

struct InterpolateOptions {
  detail::OutputSize size{};           ///< Either this or the factor.
  detail::ScaleFactor scale_factor{};  ///< The size of the result is rounded down.
  detail::InterpolationMode mode = Interpolation::nearest;
  bool align_corners = false;  ///< Aligns the corner elements; not for nearest and area.
};

/// Resizes `x` along its spatial axes.
///
/// Shapes   x (batch, channels, 1 to 3 spatial axes) -> (batch, channels, size)
/// DTypes   floating; nearest modes take any
/// Throws   ShapeError if the mode does not fit the number of spatial axes; ValueError unless
///          exactly one of size and factor is given
/// Gradient g, added up where an element was read
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html
Tensor interpolate(Operand x, InterpolateOptions options);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/functional/pool/interpolate.ipp>
#endif
