#pragma once
// How users say which dimensions vary.

#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Dimension `dim` of `x` varies between calls: compiled functions record it as a symbol, once for
/// all sizes of `range`. Travels with copies of the handle `x`, not with results.
///
/// Throws IndexError if `x` has no such dimension; ValueError if its size is outside of `range`.
void mark_dynamic(Tensor& x, int dim, DimRange range = {}, Where where = Where::current());
/// The same as a wish: a program that needs one size gets it.
void maybe_mark_dynamic(Tensor& x, int dim, DimRange range = {}, Where where = Where::current());
/// `x`, whose dimension `dim` varies within one bucket: sizes above sizes[i - 1] and up to sizes[i]
/// share a recording, 0 is in the first bucket, and each bucket that occurs has a recording of its
/// own, whose kernels know between which sizes they are. Nothing is padded: reductions, gradients
/// and results are of the elements that `x` has. Inside of a recording it gives `x` as it is.
///
/// Throws IndexError if `x` has no such dimension; ValueError unless `sizes` ascend from 1 or more,
/// or if the size of the dimension is above the last of them.
[[nodiscard]] Tensor bucket(Tensor x, int dim, std::vector<std::int64_t> sizes,
                            Where where = Where::current());
/// Dimension `dim` never becomes dynamic by itself.
void mark_static(Tensor& x, int dim, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/context/mark_dynamic.ipp>
#endif
