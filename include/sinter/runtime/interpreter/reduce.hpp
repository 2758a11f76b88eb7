#pragma once
// Reductions of the interpreter.

#include <sinter/graph/op.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// `op`, which is a reduction, of `x` over `axes`, which ascend and are dropped.
///
/// sum and prod of floating dtypes are accumulated in f64 and rounded once; those of integers wrap.
/// max and min give NaN if an element is. argmax gives the i64 position, in row-major order over
/// `axes`, of the first of the largest elements; NaN is larger than all others.
/// Of no elements: sum 0, prod 1, max the least and min the greatest number (-inf and inf, false
/// and true), argmax 0.
Array reduce(Op op, const Array& x, const Sizes& axes, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/reduce.ipp>
#endif
