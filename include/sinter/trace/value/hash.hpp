#pragma once
// The hash of one value in a sequence of values. Result shapes of elementwise operations,
// reductions and products are left out: they follow from the shapes of their operands.

#include <cstdint>  // std::uint64_t, std::uintptr_t

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/trace/value/lazy.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// True for a floating number of the program.
bool is_floating_number(const Node& node);

/// The bits of the number that `lazy` is.
std::uint64_t bits_of_number(const Lazy& lazy);

/// Adds the operation, its line, its attributes, and `position_of(operand)` for each operand. With
/// `is_number` the number of a constant is left out.
void add_value(Hasher& hasher, const Lazy& lazy, bool is_number,
               FunctionRef<std::uint32_t(Lazy&)> position_of);

/// An address as a number.
inline std::uint64_t word_of_address(const void* address) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(address));
}

/// Adds the sizes of `shape`.
void add_shape(Hasher& hasher, const Shape& shape);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/value/hash.ipp>
#endif
