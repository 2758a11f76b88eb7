#pragma once
// Sorting, top-k, medians and quantiles along one axis.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI {

/// The result of sort and topk: auto [values, indices] = sort(x).
struct ValuesAndIndices {
  Tensor values{};
  Tensor indices{};  ///< i64, along the axis: values are take_along_axis(x, indices, axis).
  SINTER_MODULE(ValuesAndIndices, values, indices)
};

/// The positions along `axis` that sort the elements; i64.
///
/// Stable; NaN is the largest, false is less than true.
///
/// Throws   IndexError if `x` has no such axis
Tensor argsort(Operand x, int axis = -1, bool descending = false);
/// The sorted elements along `axis` and their positions; see argsort.
///
/// Gradient g at the positions of the elements
ValuesAndIndices sort(Operand x, int axis = -1, bool descending = false);
/// The `k` largest (or smallest) elements along `axis`, in order.
///
/// Shapes   `axis` has the extent `k`
/// Throws   IndexError if `x` has no such axis; ValueError unless 0 <= k <= its extent
/// Gradient g at the positions of the elements
ValuesAndIndices topk(Operand x, Extent k, int axis = -1, bool largest = true, bool sorted = true);
/// The `k`th smallest element along `axis`, counted from 1. NaN is the largest.
///
/// Shapes   without `axis`, which has extent 1 if `keepdim`
/// Throws   IndexError if `x` has no such axis; ValueError unless 1 <= k <= its extent
/// Gradient g at the position of the element
ValuesAndIndices kthvalue(Operand x, Extent k, int axis = -1, bool keepdim = false);
/// The median; the lower one of two. NaN if any element is NaN. See kthvalue.
///
/// Throws   IndexError if `x` has no such axis; ValueError if the axis is empty
ValuesAndIndices median(Operand x, int axis, bool keepdim = false);
/// The median of all elements.
Tensor median(Operand x);
/// The quantile `q` along `axis`, interpolated linearly between elements. NaN if any element is
/// NaN; in f32 for integers.
///
/// Throws   IndexError if `x` has no such axis; ValueError if the axis is empty, or unless 0 <= q
///          <= 1
Tensor quantile(Operand x, double q, int axis, bool keepdim = false);
/// The quantile of all elements.
Tensor quantile(Operand x, double q);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/sort/sort.ipp>
#endif
