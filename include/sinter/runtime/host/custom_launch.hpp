#pragma once
// Runs the launch of a custom operation that calls a host function.

#include <cstdint>  // std::int64_t

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Calls the function of `control` on the memory of its operands, then of its results. While the
/// process is profiled, the call is a run of a kernel.
void run_custom(const schedule::Control& control, void* const* pointers,
                Span<const std::int64_t> symbols);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/custom_launch.ipp>
#endif
