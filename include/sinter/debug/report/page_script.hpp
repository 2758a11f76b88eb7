#pragma once
// JavaScript of the tables of a page.

#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

std::string_view page_script();

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/report/page_script.ipp>
#endif
