#pragma once
// Windows along the spatial axes of a tensor, for convolutions and pools.

#include <concepts>          // std::integral
#include <cstdint>           // std::int64_t
#include <initializer_list>  // std::initializer_list
#include <optional>          // std::optional
#include <string_view>       // std::string_view
#include <utility>           // std::pair
#include <vector>            // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// A number for each spatial axis, or one for all of them.
class PerAxis {
 public:
  PerAxis(std::integral auto number) : list_{static_cast<std::int64_t>(number)} {}
  PerAxis(std::initializer_list<std::int64_t> numbers) : list_(numbers) {}
  PerAxis(std::vector<std::int64_t> numbers) : list_(std::move(numbers)) {}

  const std::vector<std::int64_t>& list() const { return list_; }
  bool operator==(const PerAxis&) const = default;

 private:
  std::vector<std::int64_t> list_;
};

/// Padding of a convolution: a number of elements at both ends of each axis; "valid" for none;
/// "same" to give the result the size of the input.
class Padding {
 public:
  Padding(std::integral auto number) : numbers_(number) {}
  Padding(std::initializer_list<std::int64_t> numbers) : numbers_(numbers) {}
  Padding(PerAxis numbers) : numbers_(std::move(numbers)) {}
  Padding(const char* name) : name_(name) {}

  const PerAxis& numbers() const { return numbers_; }
  /// Empty if there are numbers.
  std::string_view name() const { return name_; }

 private:
  PerAxis numbers_ = 0;
  std::string_view name_{};
};

/// The maximum rank with windows: two less than that of a tensor, which leaves room for batches of
/// vmap.
inline constexpr int window_rank = max_rank - 2;

/// First member of option structs, so that the others must be named: { 2, 1 } would otherwise be
/// the stride and the padding, where torch takes it as the stride of each axis.
struct ByName {
  explicit ByName() = default;
};

template <std::integral Number>
std::vector<std::int64_t> numbers_of(std::initializer_list<Number> numbers) {
  return std::vector<std::int64_t>(numbers.begin(), numbers.end());
}

/// The windows along one axis.
struct WindowAxis {
  std::int64_t size = 1, step = 1, dilation = 1;
  std::int64_t low = 0, high = 0;  ///< Padding; `high` may be negative, which crops.
  bool rounds_up = false;          ///< The last window may reach past the end.

  /// The number of elements that a window spans.
  std::int64_t reach() const { return dilation * (size - 1) + 1; }
};

/// One number for each of `axes` spatial axes.
///
/// Throws   ShapeError for another number of values; ValueError if one is below `least`
std::vector<std::int64_t> per_axis(const PerAxis& numbers, std::size_t axes, std::int64_t least,
                                   std::string_view op, std::string_view name, Where where);

/// True if lhs >= rhs; a recording assumes the answer.
bool at_least(Extent lhs, Extent rhs, Where where);

/// `extent`, fixed to the number of this call if it is not a free symbol: other sizes are then
/// recorded again.
Extent settled(Extent extent, Where where);

/// `shape` in terms of the unresolved symbols, as needed in the bodies of a call.
Shape resolved(const Shape& shape);

/// The number of windows along an axis of extent `size`. Sets `high` of an axis that rounds up.
///
/// Throws   ShapeError if no window fits
Extent window_count(WindowAxis& axis, Extent size, std::string_view op, const Operand& x);

/// The windows of `x` along its last axes: (leading..., counts..., sizes...). `x` is padded with
/// `value`.
Tensor windows(const Tensor& x, Vector<WindowAxis> axes, Constant value, std::string_view op,
               Where where);

/// Inserts `step` - 1 zeros between the elements along `axis`.
Tensor spread_apart(const Tensor& x, int axis, std::int64_t step, Where where);

/// `x` as (batch, channels, spatial axes...) with `axes` spatial axes; adds the batch axis if it is
/// missing.
///
/// Throws   ShapeError if `x` has another rank
Tensor with_batch_axis(const Operand& x, int axes, std::string_view op);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/movement/window.ipp>
#endif
