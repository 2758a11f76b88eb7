#pragma once
// Which symbols and ranges an extent is made of, and how it depends on them.

#include <utility>  // std::pair

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/symbol/extent/expression.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// The symbols and ranges that occur in `extent`, symbols first, by id, each once. Those in the
/// extents of its ranges are not among them. Valid for the life of the process.
Span<const Extent> variables(Extent extent);

/// True if `variable` occurs in `extent`.
bool depends_on(Extent extent, Extent variable);

/// `extent` with each variable replaced by value(variable), which returns the variable itself
/// where nothing is to change. The extents of ranges stay: replace the range to change its extent.
Extent substitute(Extent extent, FunctionRef<Extent(Extent variable)> value);
/// Variables, each with what replaces it.
using Substitutions = Vector<std::pair<Extent, Extent>>;
/// `extent` with the first of each pair replaced by the second, all at once.
Extent substitute(Extent extent, Span<const std::pair<Extent, Extent>> values);
Extent substitute(Extent extent, Extent variable, Extent value);

/// What `variable` is multiplied by: s0 for s0*r0 + r1 and r0; 0 if it does not occur; nothing if
/// `extent` is not affine in it, as r0//2 or r0*r0.
Optional<Extent> coefficient_of(Extent extent, Extent variable);
/// Whether `extent` is affine in `variable`, multiplied by `step`.
bool has_step(Extent extent, Extent variable, Extent step = 1);

/// `extent` with `variable` at 0.
Extent without(Extent extent, Extent variable);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/solve/variables.ipp>
#endif
