#pragma once
// Describes the memory of a plan, for error reports and SINTER_LOGS=memory.

#include <cstdint>  // std::int64_t
#include <string>   // std::string
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Facts for an out-of-memory error: the bytes of inputs, results and intermediate values for these
/// sizes, and the largest buffers with the user's lines that compute them.
std::vector<std::pair<std::string, std::string>> memory_facts(const schedule::Plan& plan,
                                                              Span<const schedule::Update> updates,
                                                              Span<const std::int64_t> symbols);

/// The same before sizes are known, for SINTER_LOGS=memory: "4*s0 bytes of intermediates, ...". It
/// names the largest buffers if all sizes are static.
std::string memory_text(const schedule::Plan& plan);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/memory_report.ipp>
#endif
