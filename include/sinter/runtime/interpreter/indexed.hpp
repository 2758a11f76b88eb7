#pragma once
// gather, scatter_add and concatenate in the interpreter.

#include <sinter/base/container/span.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// `x` with `axis` replaced by the axes of `indices`, which are i64 and count from the end if they
/// are negative. Throws IndexError, with `where`, for an index outside of the axis.
Array gather(const Array& x, const Array& indices, std::int64_t axis, Where where);

/// Concatenates `parts` along `axis`, into an array of `shape`.
Array concatenate(Span<const Array> parts, std::int64_t axis, const Sizes& shape, Where where);

/// `x` with `y` added at the positions that gather(x, indices, axis) reads; `y` has the shape of
/// that gather. Floating sums accumulate in f64, integers wrap. Throws IndexError like gather.
Array scatter_add(const Array& x, const Array& indices, const Array& y, std::int64_t axis,
                  Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/indexed.ipp>
#endif
