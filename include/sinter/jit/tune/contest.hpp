#pragma once
// Which of some candidates is the fastest, from times that noise makes longer now and then.

#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <vector>   // std::vector

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Candidates, the first of which is the default, run in turns, round after round; those that are
/// clearly slower leave.
class Contest {
 public:
  explicit Contest(std::size_t candidates);

  /// How many are left, each of which runs once in a round; 1 when the default is alone.
  std::size_t size() const { return left_.size(); }
  /// The candidate that runs in `turn` of a round: the default where all had theirs.
  std::size_t at(std::size_t turn) const { return turn < left_.size() ? left_[turn] : 0; }
  /// `candidate` took so long in its turn of the present round.
  void note(std::size_t candidate, std::int64_t nanoseconds);
  void end_round();
  /// `candidate`, which is not the default, cannot run.
  void drop(std::size_t candidate);

  /// The default, unless another one is better by more than noise explains: in its best round, and
  /// in the middle one.
  std::size_t winner() const;
  /// Of the best round, in nanoseconds; -1 if there was none.
  std::int64_t best(std::size_t candidate) const;

 private:
  double middle_ratio(std::size_t candidate) const;

  std::vector<std::size_t> left_{};
  std::vector<std::vector<std::int64_t>> times_{};  // of each candidate, by round
};

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/tune/contest.ipp>
#endif
