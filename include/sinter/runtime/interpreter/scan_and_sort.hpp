#pragma once
// How the interpreter runs along rows: cumulative sums and products, and sorting.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// cumsum or cumprod along `axis`. Floating numbers are combined in f64; integers wrap.
Array cumulate(Op op, const Array& x, std::int64_t axis, Where where);

/// The positions along `axis` in the order of their elements, i64; equal elements stay in order,
/// and NaN is the largest.
Array argsort(const Array& x, std::int64_t axis, bool descending, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/scan_and_sort.ipp>
#endif
