#pragma once
// What Stats and Explanation say of the graphs that a function ran.

#include <cstdint>  // std::int64_t
#include <memory>   // std::shared_ptr
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/jit/interface/options.hpp>
#include <sinter/jit/lower/program.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/jit/state/variant.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// A derivative of a call, which ran.
struct DerivedRun {
  std::shared_ptr<const Runnable> runnable{};
  std::vector<std::int64_t> symbols{};
};

/// What the last call ran, or prepare() made.
struct LastCall {
  std::shared_ptr<const Variant> variant{};  ///< Null if the function ran.
  std::vector<std::int64_t> symbols{};       ///< Of the variant.
  RunReport run{};
  std::vector<DerivedRun> derived{};  ///< Derivatives of the call.
};

namespace detail {

/// Why `program` is interpreted: it was kept for later calls, or is for one call only; and another
/// takes its place when it is compiled.
using WhyInterpreted =
    FunctionRef<std::string(const Program& program, bool is_kept, bool is_interim)>;
/// Adds what the launches of the last call are.
void count_launches(Stats& stats, const LastCall& last);
/// Adds the graphs of the last call and their kernels.
void add_graphs(Explanation& explanation, const LastCall& last, WhyInterpreted why);
/// Why nothing is compiled for `device` if there is no compiler.
std::string missing_compiler(Device device);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/report.ipp>
#endif
