#pragma once
// Elementwise operations on numbers, with the arithmetic of the interpreter.

#include <sinter/base/constant.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>

namespace sinter::inline SINTER_ABI::detail::pass {

/// One element of `op`, which is elementwise, as an element of `result`: bit for bit what the
/// interpreter computes from `operands`. Nothing for a division of integers by zero, which has to
/// fail when the program runs.
Optional<Constant> compute(Op op, Span<const Constant> operands, DType result);

}  // namespace sinter::inline SINTER_ABI::detail::pass

#ifdef SINTER_DEFINITIONS
#include <sinter/pass/scalar.ipp>
#endif
