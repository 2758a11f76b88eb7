#pragma once
// Timing of two competitors in one run, interleaved, so that what disturbs one disturbs the other.
//
// A turn of a competitor is a warm-up, which is not timed, and a sample: so that it finds the
// processor awake and its data in the caches, whoever ran before. One that lives in another process
// is stopped while it is not its turn (peer.hpp): threads of OpenMP spin on a core for a while
// after their work, which is the core of the others then.

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

/// The middle of `values`, which must not be empty; of an even number the mean of the middle two.
inline double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Seconds of `repeats` calls of `body`, none of which the compiler may merge with another.
template <class Body>
double seconds_of(Body& body, int repeats) {
  return seconds([&] {
    for (int i = 0; i < repeats; ++i) {
      body();
      asm volatile("" : : : "memory");
    }
  });
}

/// How often `body` has to run for a sample of about `sample` seconds. The first run, which may
/// compile, does not count.
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

/// A competitor: called again and again, it gives the seconds of one call of what it measures, a
/// mean over as many calls as fill `sample` seconds.
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
  // What takes long is warm after a small part of itself.
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

/// One competitor against another.
struct Comparison {
  double first;   ///< Median of the seconds of a call.
  double second;  ///< The same of the other.
  double ratio;   ///< Median of second / first over the pairs: above 1 where the first is faster.
};

/// Runs both `pairs` times, in turn; who begins alternates.
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

/// Median of the seconds of a call, where there is nobody to compare with.
template <class Sample>
double median_of(Sample&& sample, int samples = 21) {
  std::vector<double> values;
  for (int i = 0; i < samples; ++i) values.push_back(sample());
  return median(values);
}

/// The least of the seconds of a call: for what runs on one thread and is so short that whatever
/// else the machine does only adds time.
template <class Sample>
double fastest_of(Sample&& sample, int samples = 101) {
  double best = sample();
  for (int i = 1; i < samples; ++i) best = std::min(best, sample());
  return best;
}

/// Pairs of turns for what takes so long: about two seconds, and never less than five.
inline int pairs_for(double seconds) {
  return seconds < 0.05 ? 15 : std::max(5, static_cast<int>(1.5 / (2 * seconds)));
}

/// Keeps the compiler from dropping the computation of `value`.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace bench
