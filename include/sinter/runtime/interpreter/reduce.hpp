#pragma once
// Reductions of the interpreter.

#include <sinter/graph/op.hpp>
#include <sinter/runtime/interpreter/array.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

/// Reduces `x` by `op` over `axes`, which are ascending and are dropped from the shape.
///
/// sum and prod of floating dtypes are accumulated in f64 and rounded once; those of integers wrap.
/// max and min give NaN if an element is. argmax gives the i64 position, in row-major order over
/// `axes`, of the first of the largest elements; NaN is larger than all others.
/// Over no elements: sum 0, prod 1, max the lowest and min the greatest number (-inf and inf, false
/// and true), argmax 0.
Array reduce(Op op, const Array& x, const Sizes& axes, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/interpreter/reduce.ipp>
#endif
