#pragma once
// Buffer reuse: which results may be written over an operand that is no longer needed.

#include <cstdint>  // std::int32_t

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Whether `kernel` may write argument `to` into the memory of argument `from`: each grid point
/// reads only the elements that it writes, and reads them first. The sizes have to be equal.
/// For new values of inputs see may_write_in_place(), which only compares indices as they are.
bool may_write_over(const Kernel& kernel, std::int32_t from, std::int32_t to);

/// The first and the last launch that use a buffer; -1 if none does.
struct Lifetime {
  std::int32_t first = -1, last = -1;
};

/// The lifetime of each buffer of `plan`.
Vector<Lifetime> lifetimes_of(const Plan& plan);

/// For each buffer of the arena, and for each output that `outputs` marks: the arena buffer that
/// ends where this one begins and whose memory it may reuse, else -1. No buffer is reused twice.
/// `kernels` are those of the plan, or of the plan around it.
Vector<std::int32_t> reused_buffers(const Plan& plan, Span<const Kernel> kernels,
                                    const Vector<bool>& outputs = {});

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/memory/operand_reuse.ipp>
#endif
