#pragma once
// Why a call needs a new variant or a new segment.

#include <cstddef>  // std::size_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/guard/failure.hpp>
#include <sinter/guard/guard.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/jit/interface/signature.hpp>
#include <sinter/jit/record/recording.hpp>
#include <sinter/jit/state/miss.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/jit/state/variant.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The arguments of a traced call that compiled something, and which of their sizes were dynamic.
struct TracedArguments {
  guard::Guard guard{};
  Varying varying{};
};

/// The first operation in which the graphs of two traced calls differ; empty if there is none.
struct Difference {
  std::string place{}, before{}, now{};
  Where where{};
};
Difference difference(const TraceReport& before, const TraceReport& now);

/// The failure against the traced call with the smallest guard distance; the last one on ties.
guard::Failure failure_of_arguments(Span<const TracedArguments> runs, const guard::Leaves& leaves,
                                    const Hash& structure, Span<const std::string> names,
                                    Span<const guard::PlainValue> plain);
/// The failure against the variant with the smallest guard distance; the last one on ties. There is
/// at least one variant.
guard::Failure failure_of_nearest(Span<const SharedPtr<const Variant>> variants,
                                  const CallSignature& call, Span<const std::string> names,
                                  Span<const guard::PlainValue> plain);

/// The lines of the user behind a failed guard of `recording`: a line of text for compile() at
/// `compiled`, the modules that were running, the assumption, and what reads the leaf.
std::string trace_of(const guard::Failure& failure, const Recording& recording, Where compiled);

namespace detail {

// A guard for exactly these arguments, with sizes as numbers.
guard::Guard guard_of_arguments(const CallSignature& call, Span<const std::string> names,
                                Span<const guard::PlainValue> plain);
// Throws RecompileLimitError: a call of the function `name` fits no compiled variant because of
// `failure`, and compiling is not allowed.
[[noreturn]] void throw_refused(const guard::Failure& failure, const std::string& name, bool frozen,
                                Where where);
// Throws RecompileLimitError: the function has `limit` recordings and needs another for `reason`.
[[noreturn]] void throw_at_limit(Requester requester, const std::string& name, int limit,
                                 std::string reason, Where where);
// Throws CompilerError: compiled code is required, but the call would be interpreted because of
// `why`.
[[noreturn]] void throw_interpreted(const std::string& name, const CompileOptions& options,
                                    const std::string& why, Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/recompile_reason.ipp>
#endif
