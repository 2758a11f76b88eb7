#pragma once
// The packed-weight cache: panels of an operand that stay where they are from one call to the next.

#include <cstdint>  // std::int32_t, std::int64_t

#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

struct ProductDecision;

/// The argument whose panels are worth memory of their own, since it is the same for many calls;
/// else -1.
std::int32_t steady_source(const ProductDecision& how);

/// What outlasts a call with the memory of the argument `source`, without its key; nothing for -1.
schedule::Kept lasting_of(const ProductDecision& how, std::int32_t source);

/// How many numbers the panels are that a caller keeps.
Extent kept_elements(const ProductDecision& how);

namespace detail {

/// Bytes before the panels, which say whether these are packed.
inline constexpr std::int64_t lasting_head = 64;

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/product/packed_weights.ipp>
#endif
