#pragma once
// How users say which dimensions vary.

#include <sinter/config.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// Dimension `dim` of `x` varies between calls: compiled functions record it as a symbol, once for
/// all sizes of `range`. Travels with copies of the handle `x`, not with results.
///
/// Throws IndexError if `x` has no such dimension; ValueError if its size is outside of `range`.
void mark_dynamic(Tensor& x, int dim, DimRange range = {}, Where where = Where::current());
/// The same as a wish: a program that needs one size gets it.
void maybe_mark_dynamic(Tensor& x, int dim, DimRange range = {}, Where where = Where::current());
/// Dimension `dim` never becomes dynamic by itself.
void mark_static(Tensor& x, int dim, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/mark_dynamic.ipp>
#endif
