#pragma once
// Reductions over axes.

#include <utility>  // std::move

#include <sinter/config.hpp>
#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

// Every reduction drops `axes` (all by default), or keeps them with extent 1 if `keepdim`. 16-bit
// dtypes are summed in f32 and rounded once, at the end.
//
// Throws   IndexError if `x` has no such axis; ValueError if one is named twice

/// The sum.
///
/// DTypes   numbers; booleans and integers add up in i64. With `dtype`, x is cast to it first
/// Gradient g, repeated
Tensor sum(Operand x, Axes axes = all_axes, bool keepdim = false);
Tensor sum(Operand x, Axes axes, bool keepdim, DType dtype);
/// The product; dtypes as for sum.
Tensor prod(Operand x, Axes axes = all_axes, bool keepdim = false);
Tensor prod(Operand x, Axes axes, bool keepdim, DType dtype);
/// sum(x) / number of elements, in f32 for integers; NaN if there are no elements.
Tensor mean(Operand x, Axes axes = all_axes, bool keepdim = false);
Tensor mean(Operand x, Axes axes, bool keepdim, DType dtype);
/// sum and mean of the elements that are not NaN.
Tensor nansum(Operand x, Axes axes = all_axes, bool keepdim = false);
Tensor nanmean(Operand x, Axes axes = all_axes, bool keepdim = false);

/// The largest element; NaN if any element is NaN. Ties share the gradient evenly.
///
/// Throws   ValueError if there are no elements
Tensor max(Operand x, Axes axes = all_axes, bool keepdim = false);
/// The smallest element; NaN if any element is NaN.
Tensor min(Operand x, Axes axes = all_axes, bool keepdim = false);
/// torch's other names for max and min.
inline Tensor amax(Operand x, Axes axes = all_axes, bool keepdim = false) {
  return max(std::move(x), std::move(axes), keepdim);
}
inline Tensor amin(Operand x, Axes axes = all_axes, bool keepdim = false) {
  return min(std::move(x), std::move(axes), keepdim);
}
/// The position of the first largest element along one axis, or in the flattened tensor; i64.
Tensor argmax(Operand x, Axes axis = all_axes, bool keepdim = false);
/// The position of the first smallest element.
Tensor argmin(Operand x, Axes axis = all_axes, bool keepdim = false);

/// True if any element is not 0; false if there are no elements.
Tensor any(Operand x, Axes axes = all_axes, bool keepdim = false);
/// True if isclose holds for all elements; boolean of rank 0, which `if` reads on the host.
///
/// Throws   ValueError for a negative tolerance
/// Source   https://docs.pytorch.org/docs/stable/generated/torch.allclose.html
Tensor allclose(Operand x, Operand y, double rtol = 1e-5, double atol = 1e-8,
                bool equal_nan = false);
/// The number of elements that are not 0; i64.
Tensor count_nonzero(Operand x, Axes axes = all_axes, bool keepdim = false);

/// The sum of the squared distances from the mean, divided by n - correction, or by 0 if that is
/// negative. Integers in f32.
Tensor var(Operand x, Axes axes = all_axes, bool keepdim = false, double correction = 1);
/// The square root of var. Where that is 0, so is the gradient, as in torch. Beside the namespace
/// std, it is called by its full name: sinter::std(x).
Tensor std(Operand x, Axes axes = all_axes, bool keepdim = false, double correction = 1);

/// The p-norm: sum(abs(x)^p)^(1/p); the largest abs(x) for p = infinity, the smallest for
/// -infinity, the number of nonzero elements for p = 0.
///
/// DTypes   integers in f32
/// Throws   ValueError if p is negative or infinite and there are no elements
/// Gradient as in torch: 0 where the norm is 0, and at elements that are 0
Tensor norm(Operand x, double p = 2, Axes axes = all_axes, bool keepdim = false);

namespace detail {

/// max(x, axes, keepdim) that accepts empty tensors: -infinity or the lowest integer.
Tensor largest(const Operand& x, const Axes& axes);

}  // namespace detail

/// log(sum(exp(x))) without overflow; -infinity if there are no elements. Integers in f32.
///
/// Gradient g * exp(x - logsumexp(x)); NaN where all elements are -infinity, as in torch
Tensor logsumexp(Operand x, Axes axes = all_axes, bool keepdim = false);

/// `all` is one object: called, it is the reduction; as an index, it is the whole axis.
struct All {
  /// True if every element is not 0; true if there are no elements.
  Tensor operator()(Operand x, Axes axes = all_axes, bool keepdim = false) const;
};
inline constexpr All all{};

namespace detail {

/// The number of elements along `axes`, as a tensor of rank 0 and `dtype`.
Tensor count_along(const Tensor& x, const Axes& axes, DType dtype, Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/reduce/reduce.ipp>
#endif
