#pragma once
// What a value adds to the hash of a sequence of values. Where all sizes that values begin with are
// hashed, those of elementwise operations, reductions and products need not be.

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

/// The operation, its line, its attributes, and `position_of(operand)` for each operand.
/// Not the number of a constant if `is_number`.
void add_value(Hasher& hasher, const Lazy& lazy, bool is_number,
               FunctionRef<std::uint32_t(Lazy&)> position_of);

/// The sizes.
void add_shape(Hasher& hasher, const Shape& shape);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/value_hash.ipp>
#endif
