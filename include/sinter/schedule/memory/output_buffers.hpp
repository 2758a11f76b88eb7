#pragma once
// Reuse of output buffers: outputs are allocated before the first kernel runs, so temporaries that
// end before an output is written can use its memory.

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Plan;
struct Update;

/// Moves buffers of the arena of `plan` into outputs that are at least as large and begin after
/// them, or that may be written over them. Those that are live when the arena is fullest come
/// first. Outputs in `updates`, the next values of inputs, are not reused, since their memory may
/// be that of the input.
void reuse_output_buffers(Plan& plan, Span<const Update> updates);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/memory/output_buffers.ipp>
#endif
