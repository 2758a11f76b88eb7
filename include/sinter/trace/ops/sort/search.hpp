#pragma once
// Binary search, counts and distinct values.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// The insertion point of each of `values` in `sorted`, whose last axis ascends: before equal
/// elements, or after them if `right`. i64. NaN sorts last. A binary search that agrees with
/// torch's even on rows that are not sorted.
///
/// Shapes   that of the values; `sorted` is of rank 1, or has the leading axes of the values
/// Throws   ShapeError if they do not fit
Tensor searchsorted(Operand sorted, Operand values, bool right = false);
/// searchsorted with exchanged arguments: the interval between `boundaries`, a vector, that each
/// element of `x` lies in.
///
/// Throws   ShapeError for boundaries of another rank
Tensor bucketize(Operand x, Operand boundaries, bool right = false);

/// The number of occurrences of 0, 1, ... up to the largest element of the vector `x`; at least
/// `minlength` counts. Reads x: a graph break inside compile.
///
/// DTypes   integers give i64; with weights, whose sums replace the counts, f32 weights give f32,
///          others f64
/// Throws   ShapeError unless `x` is a vector and the weights have its shape; ValueError for a
///          negative minlength; IndexError for a negative element
Tensor bincount(Operand x, Extent minlength = 0);
Tensor bincount(Operand x, const Tensor& weights, Extent minlength = 0);

/// The distinct elements of `x`, ascending; rank 1. NaNs are distinct from each other. Reads their
/// number: a graph break inside compile.
///
/// Gradient g at the first of equal elements
Tensor unique(Operand x);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/sort/search.ipp>
#endif
