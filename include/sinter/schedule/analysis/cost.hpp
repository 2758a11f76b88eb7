#pragma once
// What operations take, about.

#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The part of the work of all threads for which they wait for one.
inline constexpr std::int64_t start_share = 16;
/// What a function such as exp takes: its polynomial, and what brings the argument there.
inline constexpr std::int64_t operations_of_function = 16;

/// One element of `op`: one, or operations_of_function.
std::int64_t operations_of(Op op);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/analysis/cost.ipp>
#endif
