#pragma once
// The approximate cost of each operation, in instructions per element.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The cost of a transcendental function such as exp: range reduction and polynomial.
inline constexpr std::int64_t operations_of_function = 16;

/// The cost of one element of `op`: 1, or operations_of_function.
inline std::int64_t operations_of(Op op) { return is_function(op) ? operations_of_function : 1; }

}  // namespace sinter::inline SINTER_ABI::detail::schedule
