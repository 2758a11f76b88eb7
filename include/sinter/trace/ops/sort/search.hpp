#pragma once
// Finding, counting and telling apart values.

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Where each of `values` belongs in `sorted`, whose last axis ascends: in front of its equals, or
/// behind them if `right`. i64. NaN belongs to the end. A binary search, which finds what torch's
/// finds in rows that do not ascend, too.
///
/// Shapes   that of the values; `sorted` is of rank 1, or has the leading axes of the values
/// Throws   ShapeError if they do not fit
Tensor searchsorted(Operand sorted, Operand values, bool right = false);
/// The same with the arguments the other way round: which of the intervals between `boundaries`,
/// of rank 1, each element of `x` is in.
///
/// Throws   ShapeError for boundaries of another rank
Tensor bucketize(Operand x, Operand boundaries, bool right = false);

/// How often each of 0, 1, ... occurs in `x`, of rank 1: up to its largest element, and at least
/// `minlength` of them. Reads x: a graph break inside of compile.
///
/// DTypes   integers; i64, or where weights are added up in place of 1, f32 for f32 and else f64
/// Throws   ShapeError unless `x` is of rank 1, and the weights are as many; ValueError for a
///          negative minlength; IndexError for a negative element
Tensor bincount(Operand x, Extent minlength = 0);
Tensor bincount(Operand x, const Tensor& weights, Extent minlength = 0);

/// The different elements of `x`, ascending; rank 1. Each NaN is one. How many there are is read: a
/// graph break inside of compile.
///
/// Gradient g at the first of equal elements
Tensor unique(Operand x);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/sort/search.ipp>
#endif
