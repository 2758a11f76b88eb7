#pragma once
// mark_dynamic and related functions: the user declares which dimensions vary.

#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Declares that dimension `dim` of `x` varies between calls: compiled functions record it as a
/// symbol, once for all sizes of `range`. The mark is copied with the handle `x`, but not passed on
/// to results.
///
/// Throws IndexError if `x` has no such dimension; ValueError if its size is outside of `range`.
void mark_dynamic(Tensor& x, int dim, DimRange range = {}, Where where = Where::current());
/// The same as a hint: a program that needs a fixed size gets it.
void maybe_mark_dynamic(Tensor& x, int dim, DimRange range = {}, Where where = Where::current());
/// `x` with dimension `dim` marked as varying within a bucket: sizes in (sizes[i - 1], sizes[i]]
/// share a recording; 0 belongs to the first bucket. Each bucket that occurs is recorded
/// separately, and its kernels know its bounds. Nothing is padded: reductions, gradients and
/// results cover exactly the elements of `x`. Inside a recording it returns `x` unchanged.
///
/// Throws IndexError if `x` has no such dimension; ValueError unless `sizes` are positive and
/// ascending, or if the dimension is larger than the last of them.
[[nodiscard]] Tensor bucket(Tensor x, int dim, std::vector<std::int64_t> sizes,
                            Where where = Where::current());
/// Prevents dimension `dim` from becoming dynamic automatically.
void mark_static(Tensor& x, int dim, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/context/mark_dynamic.ipp>
#endif
