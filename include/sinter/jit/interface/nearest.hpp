#pragma once
// The known name that a misspelt one was probably meant to be.

#include <string_view>  // std::string_view

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The name among `known` with the fewest insertions, deletions and replacements of letters from
/// `name`; empty if all of them differ in more than half of their letters.
std::string_view nearest_name(std::string_view name, Span<const std::string_view> known);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/interface/nearest.ipp>
#endif
