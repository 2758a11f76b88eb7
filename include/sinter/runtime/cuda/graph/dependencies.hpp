#pragma once
// Which launches of a plan have to run before which.

#include <cstdint>  // std::int32_t
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// For each launch of `plan` the earlier ones that it has to wait for: those that write what it
/// reads or writes, and those that read what it writes, but none that another of them waits for.
///
/// Buffers of the arena whose places overlap are one memory, as are those of an input and of the
/// output that updates it. Places that depend on symbols overlap unless they provably do not, so
/// that the order is right for all sizes.
std::vector<std::vector<std::int32_t>> launch_order(const schedule::Plan& plan,
                                                    std::span<const schedule::Update> updates);

/// The same for the body of a plan, whose kernels are in the list of that plan.
std::vector<std::vector<std::int32_t>> launch_order(const schedule::Plan& body,
                                                    std::span<const schedule::Update> updates,
                                                    std::span<const schedule::Kernel> kernels);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/graph/dependencies.ipp>
#endif
