#pragma once
// Extents as text: for people, and for generated code.

#include <string>  // std::string

#include <sinter/base/container/function_ref.hpp>
#include <sinter/symbol/extent/expression.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// The name of a symbol or range.
using VariableName = FunctionRef<std::string(Extent variable)>;

/// "s0" and "r1": the names used where no others are given.
std::string default_name(Extent variable);

}  // namespace detail

/// "4*batch + r1//8", where // rounds down.
std::string to_string(Extent extent, detail::VariableName name);

namespace detail {

/// An expression in C and CUDA, in parentheses unless it is a name, a call or a number. Names must
/// be of 64-bit signed variables. C's / and % round towards zero; dividends that cannot be proven
/// nonnegative are first shifted by a multiple of the divisor, or tested, so the value is right
/// for them too.
std::string c_text(Extent extent, VariableName name);

/// The name of a quotient, remainder, minimum or maximum that has one; "" if it is to be printed.
using PartName = FunctionRef<std::string(Extent part)>;

/// The same, with names for parts of it.
std::string c_text(Extent extent, VariableName name, PartName part_name);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/symbol/extent/text.ipp>
#endif
