#pragma once
// Movement operations: reshape, permute, expand, pad, slice, flip and their variants.

#include <cstdint>      // std::int64_t
#include <string_view>  // std::string_view
#include <utility>      // std::pair
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// The same elements, in row-major order, in another shape; one extent may be -1 and is inferred.
///
/// Throws   ShapeError if the sizes differ, or more than one extent is -1
/// Gradient reshape(g, x.shape)
Tensor reshape(Operand x, Shape shape);
/// Merges axes `first` to `last`.
Tensor flatten(Operand x, int first = 0, int last = -1);
/// Result axis i is axis axes[i] of `x`.
///
/// Throws   IndexError for an axis that does not exist; ValueError unless each is named once
Tensor permute(Operand x, std::vector<int> axes);
/// `x` with its axes `a` and `b` exchanged.
Tensor transpose(Operand x, int a, int b);
/// `x` repeated along axes of extent 1 and along new axes in front; -1 keeps an extent.
///
/// Throws   ShapeError if an extent that is not 1 differs
/// Gradient g summed over the axes that were repeated
Tensor expand(Operand x, Shape shape);
/// Drops axes of extent 1: all of them, or those that are named.
Tensor squeeze(Operand x, Axes axes = all_axes);
/// With a new axis of extent 1 at `axis`.
Tensor unsqueeze(Operand x, int axis);
/// Pads each axis with `value`: widths[i] = {before, after}.
///
/// Throws   ShapeError unless there is a pair for each axis
/// Gradient the slice of g at the position of `x`
Tensor pad(Operand x, std::vector<std::pair<Extent, Extent>> widths, Operand value = 0);
/// The elements start, start + step, ... before stop along `axis`.
Tensor slice(Operand x, int axis, Extent start, Extent stop, std::int64_t step = 1);
/// Reversed along `axes`.
Tensor flip(Operand x, Axes axes);

namespace detail {

/// For functions along an axis, a number counts as a vector of one element: reshape(x, {1}) if `x`
/// has rank 0 and `axis` is 0 or -1, else `x`.
Tensor as_rows(const Operand& x, int axis);

inline bool is_minus_one(Extent extent) { return extent.is_number() && extent.number() == -1; }
/// True if `divisor` divides `size`, as known or assumed from then on; false if it does not in this
/// call.
bool divides(Extent divisor, Extent size, Where where);
/// expand() whose errors name the function `op`.
Tensor expand_for(std::string_view op, Operand x, Shape shape);
/// `x` with `extent`, which the recording assumes to be equal, as its extent along `axis`.
Tensor with_extent(const Tensor& x, int axis, Extent extent, Where where);
/// Throws as pad does.
void require_widths(const Tensor& x, const std::vector<std::pair<Extent, Extent>>& widths,
                    Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/movement/movement.ipp>
#endif
