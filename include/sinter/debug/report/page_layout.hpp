#pragma once
// JavaScript that places the nodes of a graph: layout(model, open).

#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

std::string_view page_layout();

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/report/page_layout.ipp>
#endif
