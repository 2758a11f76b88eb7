#pragma once
// The runs that decide how the kernels of a program are written.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <memory>       // std::shared_ptr, std::unique_ptr
#include <span>         // std::span
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/source.hpp>
#include <sinter/codegen/candidates.hpp>
#include <sinter/compile/module.hpp>
#include <sinter/compile/translation_unit.hpp>
#include <sinter/config.hpp>
#include <sinter/device/storage.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/contest.hpp>
#include <sinter/runtime/executable.hpp>
#include <sinter/runtime/stopwatch.hpp>

namespace sinter::inline SINTER_ABI::jit {

/// A program that can be run, and the text of each kernel of its plan.
struct Build {
  std::unique_ptr<runtime::Executable> executable{};
  std::vector<Source> sources{};
};

/// The arguments of a call: see Executable. Timing reads the inputs and writes to memory of its
/// own.
struct TuningCall {
  std::span<void* const> inputs{};
  std::span<const std::int64_t> symbols{};
  std::span<const Storage* const> kept_from{};
};

struct TunerOptions {
  codegen::CppOptions cpp{};  ///< Of the default texts.
  double seconds = 1;         ///< That timing may take; 0: what is known is used, nothing is timed.
  bool later = false;         ///< In the background, on copies of the inputs.
};

/// Tells how long a kernel runs that is written so, in the place of a clock.
using KernelTimes = std::int64_t (*)(std::string_view kernel, std::string_view tuning);

/// Kernels that share launches, for which there is only one time: they are tuned alike.
struct TuningGroup {
  std::vector<std::size_t> kernels{};
  std::int64_t nanoseconds = 0;                   ///< Of the default texts.
  std::vector<codegen::Tuning> tunings{{}};       ///< The first is the default.
  std::vector<std::vector<std::size_t>> texts{};  ///< Of each tuning, for each kernel: Trial::unit.
  Contest contest{1};
};

/// One program, timed. All groups change in each run, so that a run tells something of each, in the
/// state in which the kernels before leave the caches.
class Trial {
 public:
  Trial(const compiler::TranslationUnit& unit, const std::vector<bool>& known,
        const TunerOptions& options, const Graph& graph, const runtime::Executable& executable,
        const TuningCall& call);

  /// Runs until the times are clear or the budget is used up.
  void run();
  /// The groups that were compared.
  const std::vector<TuningGroup>& groups() const { return groups_; }
  /// The program with the winners.
  Build build() const;

 private:
  void find_groups();
  void rank_groups();
  void find_candidates(TuningGroup& group);
  bool compile_candidates();
  bool run_round();
  bool has_choice() const;
  std::size_t text_of(const TuningGroup& group, std::size_t candidate, std::size_t kernel) const;
  std::vector<std::size_t> texts(std::size_t turn) const;
  std::shared_ptr<const compiler::Module> module_of(const std::vector<std::size_t>& texts) const;
  std::vector<std::int64_t> measure(std::size_t turn);
  std::int64_t time_of(const TuningGroup& group, std::size_t turn,
                       const std::vector<std::int64_t>& times) const;

  const std::vector<bool>& known_;
  const TunerOptions& options_;
  const TuningCall& call_;
  compiler::TranslationUnit unit_;  // the present texts, then those of candidates
  std::shared_ptr<const compiler::Module> module_{};
  runtime::Executable executable_;
  runtime::Stopwatch stopwatch_;
  std::vector<Storage> results_{};
  std::vector<void*> outputs_{};
  std::vector<TuningGroup> groups_{};
  double seconds_ = 0;  // used so far
};

}  // namespace sinter::inline SINTER_ABI::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/trial.ipp>
#endif
