#pragma once
// The hash of one value in a sequence of values. Result shapes of elementwise operations,
// reductions and products are left out: they follow from the shapes of their operands.

#include <cstdint>  // std::uint64_t

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/function_ref.hpp>
#include <sinter/trace/lazy.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// True for a floating number of the program.
bool is_floating_number(const Node& node);

/// The bits of the number that `lazy` is.
std::uint64_t bits_of_number(const Lazy& lazy);

/// Adds the operation, its line, its attributes, and `position_of(operand)` for each operand. With
/// `is_number` the number of a constant is left out.
void add_value(Hasher& hasher, const Lazy& lazy, bool is_number,
               FunctionRef<std::uint32_t(Lazy&)> position_of);

/// Adds the sizes of `shape`.
void add_shape(Hasher& hasher, const Shape& shape);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/value_hash.ipp>
#endif
