#pragma once
// What lies in the memory of an output before that is written: results are allocated before the
// first kernel runs, and buffers that end early need no memory of their own.

#include <span>  // std::span

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Plan;
struct Update;

/// Moves buffers of the arena of `plan` to outputs that are at least as large and begin after them,
/// or may be written over them; first those that are alive when the arena is fullest. Not to
/// outputs that are the next values of inputs, `updates`, whose memory may be that of the input.
void use_output_memory(Plan& plan, std::span<const Update> updates);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/memory/output_buffers.ipp>
#endif
