#pragma once
// The runs that decide how the kernels of a program are written.

#include <atomic>       // std::atomic
#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <memory>       // std::shared_ptr, std::unique_ptr
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/compile/unit/translation_unit.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/tune/contest.hpp>
#include <sinter/jit/tune/target.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

struct TunerOptions {
  std::shared_ptr<const TuningTarget> target{};
  double seconds = 1;  ///< That timing may take; 0: what is known is used, nothing is timed.
  bool later = false;  ///< In the background, on copies of the inputs.
};

/// Tells how long a kernel runs that is written so, in the place of a clock.
using KernelTimes = std::int64_t (*)(std::string_view kernel, std::string_view tuning);

namespace detail {
// The one that tests gave; null for the clock.
std::atomic<KernelTimes>& kernel_times();
// How many runs of programs were timed in this process.
std::atomic<std::int64_t>& timed_runs_so_far();
}  // namespace detail

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
  /// `unit` has the texts of `first`, which are written so; `known` says for which kernels nothing
  /// is to be found out.
  Trial(const compiler::TranslationUnit& unit, const std::vector<codegen::Tuning>& tunings,
        const std::vector<bool>& known, const TunerOptions& options, const Graph& graph,
        const Build& first, const TuningCall& call);

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
  std::shared_ptr<const compiler::Module> compile_texts();
  bool drop_refused();
  void drop_text(std::size_t number, const std::string& reason);
  void drop(TuningGroup& group, std::size_t candidate, const std::string& kernel,
            const std::string& reason);
  bool run_round();
  bool has_choice() const;
  std::size_t text_of(const TuningGroup& group, std::size_t candidate, std::size_t kernel) const;
  std::vector<std::size_t> texts(std::size_t turn) const;
  std::vector<std::int64_t> measure(std::size_t turn);
  std::vector<std::int64_t> measure_or_drop(std::size_t turn);
  bool drop_failed(std::size_t turn, const std::string& reason);
  std::int64_t time_of(const TuningGroup& group, std::size_t turn,
                       const std::vector<std::int64_t>& times) const;

  const std::vector<bool>& known_;
  const TunerOptions& options_;
  const schedule::Plan& plan_;
  compiler::TranslationUnit unit_;   // the present texts, then those of candidates
  std::vector<TuningText> texts_{};  // the same, in the same order
  std::unique_ptr<TrialProgram> program_;
  std::vector<TuningGroup> groups_{};
  double seconds_ = 0;  // used so far
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/tune/trial.ipp>
#endif
