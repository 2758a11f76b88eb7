#pragma once
// Arena allocation: the offset of each buffer of a plan.

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Kernel;
struct Plan;

/// Places the buffers of the arena so that buffers with overlapping lifetimes do not overlap in
/// memory. A result may reuse the memory of an operand that ends there, if the kernel may write
/// over it: that needs `kernels`, those of the plan or of the plan around it.
/// Buffers of constant size take the smallest gap that holds them. Buffers of symbolic size come
/// after them, each in a free slot of its size or in a new one.
void place_in_arena(Plan& plan, Span<const Kernel> kernels);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/memory/arena.ipp>
#endif
