#pragma once
// JavaScript of the picture of a graph: folding, search, pan and zoom.

#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

std::string_view page_graph();

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/report/page_graph.ipp>
#endif
