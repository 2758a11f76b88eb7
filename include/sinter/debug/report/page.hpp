#pragma once
// The pages of a report: HTML that needs no server and loads nothing.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// The page of one compiled function, from facts_json().
std::string report_page(const std::string& facts);

/// A function on the index page.
struct IndexEntry {
  std::string file{};     ///< Of its page, relative to the index.
  std::string summary{};  ///< JSON, from summary_of().
};
std::string index_page(const std::vector<IndexEntry>& entries);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/report/page.ipp>
#endif
