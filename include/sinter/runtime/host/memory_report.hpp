#pragma once
// What a plan takes of memory, in words.

#include <cstdint>  // std::int64_t
#include <span>     // std::span
#include <string>   // std::string
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// For the report of an error that is about memory: what inputs, outputs and values on the way take
/// with these sizes, and the largest of these, with the lines of the user that compute them.
std::vector<std::pair<std::string, std::string>> memory_facts(
    const schedule::Plan& plan, std::span<const schedule::Update> updates,
    std::span<const std::int64_t> symbols);

/// The same before sizes are known, for SINTER_LOGS=memory: "4*s0 bytes on the way, ...". The
/// largest values are named where no size varies.
std::string memory_text(const schedule::Plan& plan);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/memory_report.ipp>
#endif
