#pragma once
// The timed runs that choose the kernel texts of a program.

#include <atomic>       // std::atomic
#include <cstddef>      // std::size_t
#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/compile/unit/translation_unit.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/tune/fastest_candidate.hpp>
#include <sinter/jit/tune/target.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

struct TunerOptions {
  SharedPtr<const TuningTarget> target{};
  double seconds = 1;          ///< Time budget; 0 uses cached choices and times nothing.
  bool in_background = false;  ///< Tune in the background, on copies of the inputs.
};

/// Replaces the clock in tests: the time of a kernel with a tuning.
using KernelTimes = std::int64_t (*)(std::string_view kernel, std::string_view tuning);

namespace detail {
// The function set by tests; null for the clock.
std::atomic<KernelTimes>& kernel_times();
// The number of timed runs in this process.
std::atomic<std::int64_t>& timed_runs_so_far();
}  // namespace detail

/// Kernels that share launches. They have one time together and get the same tuning.
struct TuningGroup {
  Vector<std::size_t> kernels{};
  std::int64_t nanoseconds = 0;              ///< Of the default texts.
  Vector<codegen::Tuning> tunings{{}};       ///< The first is the default.
  Vector<Vector<std::size_t>> texts{};       ///< By tuning and kernel: indices in Trial::unit_.
  FastestCandidate fastest{1};
};

/// Times one program. Every run switches all groups to another candidate, so that each run measures
/// every group, with the caches as the preceding kernels left them.
class Trial {
 public:
  /// `unit` has the texts of `first`, with these `tunings`. Kernels with `known` are not tuned.
  Trial(const compiler::TranslationUnit& unit, const Vector<codegen::Tuning>& tunings,
        const Vector<bool>& known, const TunerOptions& options, const Graph& graph,
        const Build& first, const TuningInputs& call);

  /// Runs until the winners are clear or the budget is used up.
  void run();
  /// The groups that were compared.
  const Vector<TuningGroup>& groups() const { return groups_; }
  /// The program with the winners.
  Build build() const;

 private:
  void find_groups();
  void rank_groups();
  void find_candidates(TuningGroup& group);
  bool compile_candidates();
  SharedPtr<const compiler::Module> compile_texts();
  bool drop_refused();
  void drop_text(std::size_t number, const std::string& reason);
  void drop(TuningGroup& group, std::size_t candidate, const std::string& kernel,
            const std::string& reason);
  bool run_round();
  bool has_choice() const;
  std::size_t text_of(const TuningGroup& group, std::size_t candidate, std::size_t kernel) const;
  Vector<std::size_t> texts(std::size_t slot) const;
  std::vector<std::int64_t> measure(std::size_t slot);
  std::vector<std::int64_t> measure_or_drop(std::size_t slot);
  bool drop_failed(std::size_t slot, const std::string& reason);
  std::int64_t time_of(const TuningGroup& group, std::size_t slot,
                       const std::vector<std::int64_t>& times) const;

  const Vector<bool>& known_;
  const TunerOptions& options_;
  const schedule::Plan& plan_;
  compiler::TranslationUnit unit_;   // the default texts, then those of candidates
  Vector<TuningText> texts_{};       // in the order of unit_.kernels
  UniquePtr<TrialProgram> program_;
  Vector<TuningGroup> groups_{};
  double seconds_ = 0;  // used so far
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/tune/trial.ipp>
#endif
