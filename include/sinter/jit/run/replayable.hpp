#pragma once
// Why a function cannot be replayed, so that it runs on every call, or cannot be prepared.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

/// Why the function has to run on every call, which `recorder` recorded; empty if a recording can
/// stand for it. `results` and `after` are the leaves of its result and of its arguments. Captures
/// of what is pure do not change.
std::string reason_to_run_again(const Recorder& recorder, const guard::Leaves& results,
                                const guard::Leaves& after, bool is_pure);
/// Throws GraphBreakError: what is prepared has no elements to read.
[[noreturn]] void throw_no_elements(const Break& found);
/// Throws ValueError: without data, what the function assigns to a captured tensor could not be
/// computed, and what the tensor was would be lost.
[[noreturn]] void throw_captured(const Tensor& outside, Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/run/replayable.ipp>
#endif
