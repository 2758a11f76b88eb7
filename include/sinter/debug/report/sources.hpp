#pragma once
// Excerpts of the user's files around the lines that a report names.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// {"model.cpp": [[12, "text of the line"], ...]} for places such as "model.cpp:14". Files that
/// cannot be read are left out.
std::string excerpts_json(const std::vector<std::string>& places);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/report/sources.ipp>
#endif
