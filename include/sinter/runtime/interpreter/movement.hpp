#pragma once
// Movement operations of the interpreter: views where strides can express the result, else copies.

#include <sinter/base/constant.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// `x` reshaped, in row-major order: a view if `x` is dense or one broadcast element, else a copy.
Array reshape(const Array& x, const Sizes& shape, Where where);
/// A view whose axis i is the axis axes[i] of `x`.
Array permute(const Array& x, const Sizes& axes);
/// A view that broadcasts axes of extent 1.
Array expand(const Array& x, const Sizes& shape);
/// Pads `x` with `value`: low[i] elements before and high[i] after it along axis i. Negative widths
/// crop.
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
