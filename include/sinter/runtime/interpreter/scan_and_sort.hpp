#pragma once
// Scans (cumsum, cumprod) and argsort in the interpreter.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// cumsum or cumprod along `axis`. Floating numbers are combined in f64; integers wrap.
Array cumulate(Op op, const Array& x, std::int64_t axis, Where where);

/// The i64 positions that sort `x` along `axis`. The sort is stable, and NaN is the largest.
Array argsort(const Array& x, std::int64_t axis, bool descending, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/scan_and_sort.ipp>
#endif
