#pragma once
// Reductions: many elements to one.

#include <sinter/config.hpp>
#include <sinter/trace/axis.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// The sum over `axes`, which are dropped, or kept with extent 1 if `keepdim`.
///
/// DTypes   numbers; booleans and integers add up in i64
/// Throws   IndexError if `x` has no such axis; ValueError if one is named twice
/// Gradient g, repeated
Tensor sum(Operand x, Axes axes = all_axes, bool keepdim = false);
/// The product over `axes`.
Tensor prod(Operand x, Axes axes = all_axes, bool keepdim = false);
/// sum(x) / number of elements, in f32 for integers.
Tensor mean(Operand x, Axes axes = all_axes, bool keepdim = false);
/// The largest element; NaN if there is one. Ties share the gradient evenly.
///
/// Throws   ValueError if there is nothing to choose from
Tensor max(Operand x, Axes axes = all_axes, bool keepdim = false);
/// The smallest element; NaN if there is one.
Tensor min(Operand x, Axes axes = all_axes, bool keepdim = false);
/// The position of the first largest element along one axis, or in the flattened tensor; i64.
Tensor argmax(Operand x, Axes axis = all_axes, bool keepdim = false);
/// The position of the first smallest element.
Tensor argmin(Operand x, Axes axis = all_axes, bool keepdim = false);
/// True if any element is not 0.
Tensor any(Operand x, Axes axes = all_axes, bool keepdim = false);
/// The mean of the squared distances from the mean, divided by n - correction.
Tensor var(Operand x, Axes axes = all_axes, bool keepdim = false, int correction = 1);
/// log(sum(exp(x))), which does not overflow.
Tensor logsumexp(Operand x, Axes axes = all_axes, bool keepdim = false);

/// `all` is one object: called, it is the reduction; in an index, it is the whole axis.
struct All {
  /// True if every element is not 0.
  Tensor operator()(Operand x, Axes axes = all_axes, bool keepdim = false) const;
};
inline constexpr All all{};

/// The number of elements along `axes`, as a tensor of rank 0 and `dtype`.
Tensor count_along(const Tensor& x, const Axes& axes, DType dtype, Where where);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/reduce.ipp>
#endif
