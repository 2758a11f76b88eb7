#pragma once
// Why a function cannot be replayed, so that it is traced on every call, or cannot be prepared.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

/// Why the function recorded by `recorder` has to be traced on every call; empty if it can be
/// replayed. `results` and `after` are the leaves of its result and of its arguments. Captures of a
/// pure function do not change.
std::string reason_to_retrace(const Recorder& recorder, const guard::Leaves& results,
                              const guard::Leaves& after, bool is_pure);
/// Throws GraphBreakError: arguments of prepare() have no elements to read.
[[noreturn]] void throw_no_elements(const Break& found);
/// Throws ValueError: without data an assignment to the captured tensor cannot be computed, and its
/// old value would be lost.
[[noreturn]] void throw_captured(const Tensor& outside, Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/run/replayable.ipp>
#endif
