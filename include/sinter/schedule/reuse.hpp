#pragma once
// Which results may be written where an operand lies that nobody needs afterwards.

#include <cstdint>  // std::int32_t
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/schedule/plan.hpp>

namespace sinter::inline SINTER_ABI::schedule {

/// True if `kernel` may write argument `to` into the memory of argument `from`: what a point of the
/// grid reads of it is what this point writes, and is read before. The sizes have to be equal.
bool may_write_over(const Kernel& kernel, std::int32_t from, std::int32_t to);

/// For each buffer of the arena the one that ends where this one begins and may give it its memory,
/// else -1. No buffer is given twice. `kernels` are those of the plan, or of the plan around it.
std::vector<std::int32_t> reused_buffers(const Plan& plan, std::span<const Kernel> kernels);

}  // namespace sinter::inline SINTER_ABI::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/reuse.ipp>
#endif
