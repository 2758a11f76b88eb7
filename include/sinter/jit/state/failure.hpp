#pragma once
// Why a call or a run fits nothing that was compiled.

#include <cstddef>  // std::size_t
#include <memory>   // std::shared_ptr
#include <span>     // std::span
#include <string>   // std::string
#include <vector>   // std::vector

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

/// The arguments of a run that compiled something, and which of their sizes varied then.
struct RunArguments {
  guard::Guard guard{};
  Varying varying{};
};

/// The first operation in which the graphs of two runs of a function differ; nothing if there is
/// none.
struct Difference {
  std::string place{}, before{}, now{};
  Where where{};
};
Difference difference(const RunReport& before, const RunReport& now);

/// Beside the run that the call is nearest to; of several, the last one.
guard::Failure failure_of_arguments(std::span<const RunArguments> runs, const guard::Leaves& leaves,
                                    const Hash& structure, std::span<const std::string> names,
                                    std::span<const guard::PlainValue> plain);
/// Beside the variant that the call nearly fits, of at least one; of several, the last one.
guard::Failure failure_of_nearest(std::span<const std::shared_ptr<const Variant>> variants,
                                  const CallSignature& call, std::span<const std::string> names,
                                  std::span<const guard::PlainValue> plain);

namespace detail {

// A guard of these arguments alone, whose sizes are numbers.
guard::Guard guard_of_arguments(const CallSignature& call, std::span<const std::string> names,
                                std::span<const guard::PlainValue> plain);
// Throws RecompileLimitError: `failure` is why a call of the function `name` fits nothing that was
// compiled, and nothing may be.
[[noreturn]] void throw_refused(const guard::Failure& failure, const std::string& name, bool frozen,
                                Where where);
// Throws RecompileLimitError: the function has `limit` recordings, and needs another for `reason`.
[[noreturn]] void throw_at_limit(Asker asker, const std::string& name, int limit,
                                 std::string reason, Where where);
// Throws CompilerError: a call may not be interpreted, and is, for the reason `why`.
[[noreturn]] void throw_no_code(const std::string& name, const CompileOptions& options,
                                const std::string& why, Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/failure.ipp>
#endif
