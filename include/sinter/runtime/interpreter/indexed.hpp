#pragma once
// Elements at computed positions, in the interpreter.

#include <span>  // std::span

#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// `x` with `axis` replaced by the axes of `indices`, which are i64 and count from the end if they
/// are negative. Throws IndexError, with `where`, for an index outside of the axis.
Array gather(const Array& x, const Array& indices, std::int64_t axis, Where where);

/// The arrays of `parts` behind each other along `axis`, in an array of `shape`.
Array concatenate(std::span<const Array> parts, std::int64_t axis, const Sizes& shape, Where where);

/// `x` with the elements of `y`, which has the shape of gather(x, indices, axis), added where that
/// would read. Sums are accumulated in f64, those of integers wrap. Throws IndexError likewise.
Array scatter_add(const Array& x, const Array& indices, const Array& y, std::int64_t axis,
                  Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/indexed.ipp>
#endif
