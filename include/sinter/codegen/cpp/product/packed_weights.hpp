#pragma once
// The packed-weight cache: panels of a call-invariant operand that are kept between calls.

#include <cstdint>  // std::int32_t, std::int64_t

#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

struct ProductDecision;

/// The call-invariant argument whose panels are worth keeping between calls; -1 if there is none.
std::int32_t call_invariant_argument(const ProductDecision& how);

/// The packed input of the argument `source`, without its key; empty for -1.
schedule::PackedInput packed_input_of(const ProductDecision& how, std::int32_t source);

/// The number of elements of the panels that a caller keeps.
Extent shared_panel_elements(const ProductDecision& how);

namespace detail {

/// Bytes before the panels, which say whether the panels are packed.
inline constexpr std::int64_t packed_header_bytes = 64;

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/product/packed_weights.ipp>
#endif
