#pragma once
// Selects the fastest of several candidates from noisy times.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Candidates run in rounds, each once per round; those that are clearly slower are eliminated. The
/// first candidate is the default.
class FastestCandidate {
 public:
  explicit FastestCandidate(std::size_t candidates);

  /// The number of remaining candidates; 1 if only the default is left.
  std::size_t size() const { return left_.size(); }
  /// The candidate that runs in `slot` of a round: the default if all candidates had theirs.
  std::size_t at(std::size_t slot) const { return slot < left_.size() ? left_[slot] : 0; }
  /// Notes the time of `candidate` in the current round.
  void note(std::size_t candidate, std::int64_t nanoseconds);
  void end_round();
  /// Eliminates `candidate`, not the default, because it cannot run.
  void drop(std::size_t candidate);

  /// The candidate that is faster than the default by more than noise, both in its best round and
  /// in the median of the ratios per round; otherwise the default.
  std::size_t winner() const;
  /// The time of the best round in nanoseconds; -1 if there was no round.
  std::int64_t best(std::size_t candidate) const;

 private:
  double middle_ratio(std::size_t candidate) const;

  Vector<std::size_t> left_{};
  Vector<std::vector<std::int64_t>> times_{};  // by candidate and round
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/tune/fastest_candidate.ipp>
#endif
