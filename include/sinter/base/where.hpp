#pragma once
// Places in the user's program, which errors and generated kernels name.

#include <bit>              // std::bit_cast
#include <cstdint>          // std::uint64_t
#include <source_location>  // std::source_location
#include <string>           // std::string
#include <utility>          // std::move

#include <sinter/base/text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

/// A line of the user's program: the last parameter of functions, `Where where = Where::current()`.
using Where = std::source_location;

namespace detail {

/// A value and the place where it was used as an operand. Operators cannot have default arguments;
/// the conversion of their operands can.
template <class T>
struct Located {
  Located(const T& v, Where at = Where::current()) : value(v), where(at) {}
  Located(T&& v, Where at = Where::current()) : value(std::move(v)), where(at) {}

  T value;
  Where where;
};

}  // namespace detail

/// "model.cpp:14", and "" for a place that is not known.
inline std::string to_string(const Where& where) {
  return where.line() == 0 ? "" : detail::text(where.file_name(), ":", where.line());
}

namespace detail {

/// The same for places that are the same line, as long as the process lives. A place that was
/// compiled twice may have two.
inline std::uint64_t word_of(const Where& where) {
  static_assert(sizeof(Where) == sizeof(std::uintptr_t));  // it refers to what the compiler wrote
  return std::bit_cast<std::uintptr_t>(where);
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
