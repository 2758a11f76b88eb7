#pragma once
// Targets by name: Target::named() for each of target_names(), on any machine.

#include <string_view>  // std::string_view

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// The names that Target::named() knows: instruction sets of hosts, then compute capabilities of
/// GPUs as CUDA's compilers name them.
Vector<std::string_view> target_names();

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/named_target.ipp>
#endif
