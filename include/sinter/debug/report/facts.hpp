#pragma once
// The facts of a report: everything that its page shows of one compiled function, as JSON.

#include <string>  // std::string

#include <sinter/base/container/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/debug/report/json.hpp>
#include <sinter/jit/state/report.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// The facts of a function. The first line has only the summary, which the index page shows; the
/// other members are
///   options, stats, explanation   what CompileOptions, stats() and explain() say; the texts of
///                                 graphs and kernels are in the programs
///   recordings                    reason, calls, guards and programs of each; traced ones last
///   last                          the programs of the last call, in the order of explain()
///   programs                      graphs, kernels, launches and memory of each
///   strings, sources              lines and module paths; excerpts of the user's files
///   profile                       what `profile` returns: profile_json(), or null
std::string facts_json(const jit::History& history,
                       FunctionRef<std::string(StringTable& strings)> profile);

/// The JSON of the summary, the first line of `facts`.
std::string summary_of(const std::string& facts);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/report/facts.ipp>
#endif
