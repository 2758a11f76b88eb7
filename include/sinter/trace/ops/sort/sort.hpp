#pragma once
// Elements along one axis in order: sorting, the largest or smallest ones, medians and quantiles.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI {

/// What sort and topk give: auto [values, indices] = sort(x).
struct ValuesAndIndices {
  Tensor values{};
  Tensor indices{};  ///< i64, along the axis: values are take_along_axis(x, indices, axis).
  SINTER_MODULE(ValuesAndIndices, values, indices)
};

/// The positions along `axis` in the order of their elements; i64.
///
/// Equal elements stay in the order in which they are, NaN is the largest, false is less than true.
///
/// Throws   IndexError if `x` has no such axis
Tensor argsort(Operand x, int axis = -1, bool descending = false);
/// The elements along `axis` in order, and where they were: see argsort.
///
/// Gradient g, where the elements were
ValuesAndIndices sort(Operand x, int axis = -1, bool descending = false);
/// The `k` largest elements along `axis`, or the smallest, the first ones first.
///
/// Shapes   `axis` has the extent `k`
/// Throws   IndexError if `x` has no such axis; ValueError unless 0 <= k <= its extent
/// Gradient g, where the elements were
ValuesAndIndices topk(Operand x, Extent k, int axis = -1, bool largest = true, bool sorted = true);
/// The `k`th smallest element along `axis`, counted from 1. NaN is the largest.
///
/// Shapes   without `axis`, which has extent 1 if `keepdim`
/// Throws   IndexError if `x` has no such axis; ValueError unless 1 <= k <= its extent
/// Gradient g, where the element was
ValuesAndIndices kthvalue(Operand x, Extent k, int axis = -1, bool keepdim = false);
/// The element in the middle, of two the smaller one; NaN if there is one. See kthvalue.
///
/// Throws   IndexError if `x` has no such axis; ValueError if that is empty
ValuesAndIndices median(Operand x, int axis, bool keepdim = false);
/// The median of all elements.
Tensor median(Operand x);
/// The number below which the part `q` of the elements along `axis` lies: an element, or between
/// two in proportion. NaN if there is one; in f32 for integers.
///
/// Throws   IndexError if `x` has no such axis; ValueError if that is empty, or unless 0 <= q <= 1
Tensor quantile(Operand x, double q, int axis, bool keepdim = false);
/// The quantile of all elements.
Tensor quantile(Operand x, double q);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/sort/sort.ipp>
#endif
