#pragma once
// Patterns of names, in which * stands for any text.

#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Whether `text` fits `pattern`, in which * stands for any text and ? for any character.
bool fits_pattern(std::string_view pattern, std::string_view text);

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/module/pattern.ipp>
#endif
