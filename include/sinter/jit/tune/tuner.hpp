#pragma once
// The autotuner: chooses the fastest text of each kernel of a program by running them.

#include <atomic>       // std::atomic
#include <cstdint>      // std::int64_t
#include <string_view>  // std::string_view

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/base/source.hpp>
#include <sinter/codegen/text/tuning.hpp>
#include <sinter/compile/unit/translation_unit.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/tune/trial.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Tunes the kernels of one program. Cached choices, of this process or of earlier ones, are used
/// from the start; the other kernels are timed on the inputs of the first call.
class Tuner {
 public:
  /// `unit` has the default texts of the kernels of `plan`. Replaces those for which a faster one
  /// is cached.
  Tuner(const schedule::Plan& plan, compiler::TranslationUnit& unit, const TunerOptions& options);

  /// True once, for one thread, if there is something to tune. That thread has to call tune().
  bool take_ticket();
  const TunerOptions& options() const { return options_; }
  /// The cached tuning of each kernel, or the default.
  const Vector<codegen::Tuning>& tunings() const { return tunings_; }

  /// A faster build of `first`, which computes `graph`; nothing if there is none, or if tuning
  /// failed because of invalid data or too little memory.
  Optional<Build> tune(const Graph& graph, const Build& first,
                       const TuningInputs& call) const noexcept;

 private:
  TunerOptions options_;
  compiler::TranslationUnit unit_;
  Vector<Hash> keys_{};  // of the default texts
  Vector<codegen::Tuning> tunings_{};
  Vector<bool> known_{};       // by kernel: a choice was cached
  Hash program_{};             // the key of all kernels together
  std::atomic<bool> is_due_{false};
};

/// Replaces the clock by `times`, for tests; null for the clock. Returns the previous one.
KernelTimes exchange_kernel_times(KernelTimes times);

/// The number of timed runs in this process.
std::int64_t timed_runs();

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/tune/tuner.ipp>
#endif
