#pragma once
// Finds out which of the ways to write the kernels of a program is the fastest, by running them.

#include <atomic>       // std::atomic
#include <cstdint>      // std::int64_t
#include <memory>       // std::unique_ptr
#include <optional>     // std::optional
#include <span>         // std::span
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/hash.hpp>
#include <sinter/base/source.hpp>
#include <sinter/codegen/text/tuning.hpp>
#include <sinter/compile/unit/translation_unit.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/tune/trial.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Decides how the kernels of one program are written. What was found before, by this process or by
/// another one, is used from the beginning; the rest is timed on the inputs of the first call.
class Tuner {
 public:
  /// `unit` has the default texts of the kernels of `plan`; those for which a faster one is known
  /// take their place.
  Tuner(const schedule::Plan& plan, compiler::TranslationUnit& unit, const TunerOptions& options);

  /// True for one thread, once, if there is something to find out: it has to call tune().
  bool take_turn();
  const TunerOptions& options() const { return options_; }
  /// What was known for each kernel; the default where nothing was.
  const std::vector<codegen::Tuning>& tunings() const { return tunings_; }

  /// A faster build of `first`, which computes `graph`; nothing if there is none, or if it
  /// could not be found out, because the data is at fault or memory is short. Does not throw.
  std::optional<Build> tune(const Graph& graph, const Build& first,
                            const TuningCall& call) const noexcept;

 private:
  TunerOptions options_;
  compiler::TranslationUnit unit_;
  std::vector<Hash> keys_{};  // of the default texts
  std::vector<codegen::Tuning> tunings_{};
  std::vector<bool> known_{};  // of each kernel, whether a choice was known
  Hash program_{};             // stands for all kernels together
  std::atomic<bool> is_due_{false};
};

/// Tests say which kernels are fast; null for the clock. Gives what was said before.
KernelTimes exchange_kernel_times(KernelTimes times);

/// How many runs of programs were timed in this process.
std::int64_t timed_runs();

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/tune/tuner.ipp>
#endif
