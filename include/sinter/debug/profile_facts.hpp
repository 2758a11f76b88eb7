#pragma once
// A profile as JSON, for reports.

#include <string>  // std::string

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/config.hpp>
#include <sinter/debug/profile.hpp>
#include <sinter/debug/report/json.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// {"calls", "roof", "kernels", "call", "events"}: the kernels with what profile() measured, and
/// the events of one call, that of median length. null without calls.
std::string profile_json(const Profile* profile, StringTable& strings);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/profile_facts.ipp>
#endif
