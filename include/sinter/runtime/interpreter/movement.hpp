#pragma once
// Movement of elements in the interpreter: views where strides can say it, else copies.

#include <sinter/base/constant.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// The elements of `x` in row-major order as an array of `shape`: a view if `x` is dense or all of
/// its elements are one, else a copy.
Array reshape(const Array& x, const Sizes& shape, Where where);
/// A view whose axis i is the axis axes[i] of `x`.
Array permute(const Array& x, const Sizes& axes);
/// A view in which axes of extent 1 are repeated.
Array expand(const Array& x, const Sizes& shape);
/// `value` around `x`: low[i] times before it along axis i, high[i] times behind it. Negative
/// widths drop elements.
Array pad(const Array& x, const Sizes& low, const Sizes& high, const Constant& value, Where where);
/// A view of x[start + i * step]. Throws InternalError if it leaves `x`.
Array slice(const Array& x, const Sizes& start, const Sizes& step, const Sizes& shape);
/// A view of windows along `axis`: element k of window i is x[i * step + k * dilation]; the new
/// axis is the last of `shape`.
Array unfold(const Array& x, std::int64_t axis, std::int64_t step, std::int64_t dilation,
             const Sizes& shape);
/// A view that is reversed along `axes`.
Array flip(const Array& x, const Sizes& axes);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/movement.ipp>
#endif
