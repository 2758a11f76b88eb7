#pragma once
// Timing of two competitors in one run, interleaved, so that disturbances affect both.
//
// A turn of a competitor is an untimed warm-up and a sample, so that the processor is awake and the
// data is in the caches, whatever ran before. A competitor in another process is stopped while it
// is not its turn (peer.hpp): OpenMP threads spin for a while after their work, on a core that the
// others need.

#include <algorithm>  // std::nth_element, std::max, std::min
#include <chrono>     // std::chrono::steady_clock
#include <cstddef>    // std::size_t
#include <utility>    // std::move
#include <vector>     // std::vector

namespace bench {

/// Seconds that `body()` takes.
template <class Body>
double seconds(Body&& body) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  body();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The median of `values`, which must not be empty.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Seconds of `repeats` calls of `body`, which the compiler may not merge.
template <class Body>
double seconds_of(Body& body, int repeats) {
  return seconds([&] {
    for (int i = 0; i < repeats; ++i) {
      body();
      asm volatile("" : : : "memory");
    }
  });
}

/// The number of runs of `body` that fill about `sample` seconds. The first run, which may compile,
/// does not count.
template <class Body>
int repeats_for(Body& body, double sample) {
  seconds_of(body, 1);
  int repeats = 1;
  while (true) {
    double spent = seconds_of(body, repeats);
    const bool again = spent >= sample / 2 && spent < 0.1;  // something else may have run meanwhile
    if (again) spent = std::min(spent, seconds_of(body, repeats));
    if (spent >= sample / 2) return std::max(1, static_cast<int>(repeats * sample / spent));
    repeats *= 2;
  }
}

/// A competitor: each call returns the seconds of one call of the measured function, a mean over as
/// many calls as fill `sample` seconds.
template <class Body>
class Sample {
 public:
  Sample(Body body, double sample)
      : body_(std::move(body)), sample_(sample), repeats_(repeats_for(body_, sample)) {}

  /// A turn.
  double operator()() {
    warm_up();
    return seconds_of(body_, repeats_) / repeats_;
  }

 private:
  // A long function is warm after a small part of its run.
  void warm_up() {
    constexpr int most = 8;
    if (repeats_ > most) {
      seconds_of(body_, repeats_ / 2);
    } else if (seconds_per_call_ < most * sample_) {
      seconds_per_call_ = seconds_of(body_, 1);
    }
  }

  Body body_;
  double sample_;
  int repeats_;
  double seconds_per_call_ = 0;  // once it was the first of a turn
};

template <class Body>
Sample<Body> sample_of(Body body, double sample = 2e-3) {
  return {std::move(body), sample};
}

/// Two competitors, compared.
struct Comparison {
  double first;   ///< Median of the seconds of a call.
  double second;  ///< The same of the other.
  double ratio;   ///< Median of second / first over the pairs: above 1 where the first is faster.
};

/// Runs both `pairs` times, alternately; the first of a pair alternates.
template <class First, class Second>
Comparison compare(First&& first, Second&& second, int pairs = 21) {
  std::vector<double> firsts, seconds, ratios;
  for (int i = 0; i < pairs; ++i) {
    const double before = i % 2 == 0 ? 0 : second();
    const double a = first();
    const double b = i % 2 == 0 ? second() : before;
    firsts.push_back(a);
    seconds.push_back(b);
    ratios.push_back(b / a);
  }
  return {median(firsts), median(seconds), median(ratios)};
}

/// The median of the seconds of a call, without a competitor.
template <class Sample>
double median_of(Sample&& sample, int samples = 21) {
  std::vector<double> values;
  for (int i = 0; i < samples; ++i) values.push_back(sample());
  return median(values);
}

/// The least of the seconds of a call: for short functions on one thread, to whose time other
/// programs on the machine only add.
template <class Sample>
double fastest_of(Sample&& sample, int samples = 101) {
  double best = sample();
  for (int i = 1; i < samples; ++i) best = std::min(best, sample());
  return best;
}

/// The number of pairs of turns for a call of this length: about two seconds, at least five pairs.
inline int pairs_for(double seconds) {
  return seconds < 0.05 ? 15 : std::max(5, static_cast<int>(1.5 / (2 * seconds)));
}

/// Keeps the compiler from dropping the computation of `value`.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace bench
