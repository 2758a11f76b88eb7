#pragma once
// What the programs that minify() writes call: runs a problem and reports how it fails.

#include <cstdint>           // std::int64_t
#include <initializer_list>  // std::initializer_list
#include <vector>            // std::vector

#include <sinter/config.hpp>
#include <sinter/debug/fault/problem.hpp>
#include <sinter/debug/fault/trial.hpp>
#include <sinter/graph/builder.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

class Replay {
 public:
  Replay(Graph graph, FailureKind fault);

  jit::LowerOptions options{};
  std::vector<std::int64_t> symbols{};

  /// The elements of the next input, by its dtype.
  void floats(std::initializer_list<double> elements);
  void integers(std::initializer_list<std::int64_t> elements);
  /// The same where all elements are equal. After `symbols`.
  void floats_like(double element);
  void integers_like(std::int64_t element);

  /// Runs the problem. Prints how it fails and returns 1, or 0 if it does not fail.
  int run();

 private:
  TensorType next_type() const;

  Problem problem_{};
  FailureKind fault_;
};

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/fault/replay.ipp>
#endif
