#pragma once
// Finds the stage at fault in a call: the work of bisect() and minify().

#include <string>  // std::string

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/debug/bisect.hpp>
#include <sinter/debug/fault/capture.hpp>
#include <sinter/debug/fault/trial.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// The first line of an error.
inline std::string first_line(const std::string& error) {
  return error.substr(0, error.find('\n'));
}

class Bisector {
 public:
  Bisector(const CompiledCall& call, const BisectOptions& options)
      : call_(call), options_(options) {}

  Bisection run();

  /// How `problem()` fails; FailureKind::none if what was found cannot be reproduced by a graph.
  FailureKind fault() const { return fault_; }
  /// The program at fault, as it was recorded.
  const Problem& problem() const { return problem_; }

 private:
  bool compare_back_ends();
  bool examine(const CompileOptions& options);
  bool examine(Problem problem);
  bool examine_error(const Problem& problem);
  bool examine_passes(const Problem& problem);
  bool examine_kernels(const Problem& problem);
  bool examine_variations(const Problem& problem);
  bool examine_rules(const Captured& captured);
  bool examine_numbers(const Captured& captured);
  bool examine_expected(const Captured& captured);
  Problem rule_problem(const UsedRule& rule, const Captured& captured) const;

  void step(std::string text) { result_.steps.push_back(std::move(text)); }
  bool conclude(FailureKind fault, Problem problem, std::string stage, std::string culprit);
  bool conclude_kernels(Problem problem, std::string stage);
  void name_operations(const Problem& problem);
  Difference compare_outcomes(const Outcome& got, const Outcome& expected) const;

  CompiledCall call_;
  const BisectOptions& options_;
  Bisection result_{};
  FailureKind fault_ = FailureKind::none;
  Problem problem_{};
  Outcome written_{}, served_{};
  Captured recorded_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/bisector.ipp>
#endif
