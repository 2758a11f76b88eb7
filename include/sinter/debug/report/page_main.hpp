#pragma once
// JavaScript of the page: timeline, memory, graph section, navigation.

#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

std::string_view page_main();

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/report/page_main.ipp>
#endif
