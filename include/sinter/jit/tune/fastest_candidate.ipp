#pragma once

#include <algorithm>  // std::min_element, std::nth_element, std::remove, std::remove_if

#include <sinter/base/container/vector.hpp>
#include <sinter/jit/tune/fastest_candidate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// A candidate slower than the best by the first factor is eliminated; by the second one after the
// first round, which may have been disturbed.
inline constexpr double elimination_ratio = 1.3, first_elimination_ratio = 3;
// A winner takes at most this fraction of the time of the default ...
inline constexpr double winning_ratio = 0.95;
// ... after at least this number of rounds.
inline constexpr std::size_t min_rounds = 3;

}  // namespace detail

SINTER_INLINE FastestCandidate::FastestCandidate(std::size_t candidates) : times_(candidates) {
  for (std::size_t i = 0; i < candidates; ++i) left_.push_back(i);
}

SINTER_INLINE void FastestCandidate::note(std::size_t candidate, std::int64_t nanoseconds) {
  times_[candidate].push_back(nanoseconds);
}

SINTER_INLINE std::int64_t FastestCandidate::best(std::size_t candidate) const {
  const std::vector<std::int64_t>& times = times_[candidate];
  return times.empty() ? -1 : *std::min_element(times.begin(), times.end());
}

// Eliminated candidates do not return, so every candidate has times for the first rounds.
SINTER_INLINE void FastestCandidate::end_round() {
  std::int64_t fastest = best(0);
  for (const std::size_t candidate : left_) fastest = std::min(fastest, best(candidate));
  const double limit =
      static_cast<double>(fastest) *
      (times_[0].size() == 1 ? detail::first_elimination_ratio : detail::elimination_ratio);
  const auto is_hopeless = [&](std::size_t candidate) {
    return candidate != 0 && static_cast<double>(best(candidate)) > limit;
  };
  left_.erase(std::remove_if(left_.begin(), left_.end(), is_hopeless), left_.end());
}

SINTER_INLINE void FastestCandidate::drop(std::size_t candidate) {
  left_.erase(std::remove(left_.begin(), left_.end(), candidate), left_.end());
}

SINTER_INLINE double FastestCandidate::middle_ratio(std::size_t candidate) const {
  Vector<double> ratios;
  for (std::size_t i = 0; i < std::min(times_[0].size(), times_[candidate].size()); ++i) {
    ratios.push_back(static_cast<double>(times_[candidate][i]) /
                     static_cast<double>(std::max<std::int64_t>(times_[0][i], 1)));
  }
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

SINTER_INLINE std::size_t FastestCandidate::winner() const {
  std::size_t result = 0;
  for (const std::size_t candidate : left_) {
    if (times_[candidate].size() < detail::min_rounds) continue;
    if (best(candidate) < best(result)) result = candidate;
  }
  const double ratio = static_cast<double>(best(result)) / static_cast<double>(best(0));
  const bool better = result != 0 && ratio <= detail::winning_ratio &&
                      middle_ratio(result) <= detail::winning_ratio;
  return better ? result : 0;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
