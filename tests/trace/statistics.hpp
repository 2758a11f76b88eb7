#pragma once
// Statistical tests of random numbers. Thresholds are passed by chance about once in ten thousand
// times.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace statistics {

using Numbers = std::vector<double>;

/// What a chi-squared of `freedom` degrees passes once in ten thousand times: Wilson and Hilferty.
inline double chi_squared_limit(double freedom) {
  const double part = 2 / (9 * freedom);
  return freedom * std::pow(1 - part + 3.719 * std::sqrt(part), 3);
}

/// Whether the counts are as often as `expected` says, in parts of their sum.
inline bool fits(const Numbers& counts, const Numbers& expected) {
  double total = 0, distance = 0;
  for (const double one : counts) total += one;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double mean = total * expected[i];
    distance += (counts[i] - mean) * (counts[i] - mean) / mean;
  }
  const double limit = chi_squared_limit(static_cast<double>(counts.size() - 1));
  if (distance > limit) MESSAGE("chi squared " << distance << " of at most " << limit);
  return distance <= limit;
}

inline bool fits_evenly(const Numbers& counts) {
  return fits(counts, Numbers(counts.size(), 1 / static_cast<double>(counts.size())));
}

/// Whether the largest distance of the distributions is small: Kolmogorov and Smirnov.
template <class Distribution>
inline bool is_distributed(Numbers x, Distribution expected) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double distance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = expected(x[i]), below = static_cast<double>(i) / n;
    distance = std::max({distance, std::fabs(at - below), std::fabs(at - below - 1 / n)});
  }
  return distance < 2.225 / std::sqrt(n);
}

inline double uniform_distribution(double v) { return v; }
inline double normal_distribution(double v) { return 0.5 * std::erfc(-v / std::sqrt(2.0)); }

/// Of x[i] and y[i + lag], in units of what chance allows.
inline double correlation(const Numbers& x, const Numbers& y, std::size_t lag) {
  const auto mean = [](const Numbers& z) {
    double total = 0;
    for (const double one : z) total += one;
    return total / static_cast<double>(z.size());
  };
  const double a = mean(x), b = mean(y);
  double product = 0, first = 0, second = 0;
  for (std::size_t i = 0; i + lag < x.size(); ++i) {
    product += (x[i] - a) * (y[i + lag] - b);
    first += (x[i] - a) * (x[i] - a);
    second += (y[i + lag] - b) * (y[i + lag] - b);
  }
  return product / std::sqrt(first * second) * std::sqrt(static_cast<double>(x.size()));
}

/// How often (x[i], y[i + lag]) falls into each of 16 times 16 squares.
inline Numbers pairs(const Numbers& x, const Numbers& y, std::size_t lag) {
  Numbers counts(256, 0);
  for (std::size_t i = 0; i + lag < x.size(); ++i) {
    counts[static_cast<std::size_t>(x[i] * 16) * 16 + static_cast<std::size_t>(y[i + lag] * 16)]++;
  }
  return counts;
}

inline Numbers frequencies(const Numbers& x, std::size_t bins) {
  Numbers counts(bins, 0);
  for (const double one : x) ++counts[static_cast<std::size_t>(one)];
  return counts;
}

/// What the absolute value of correlation() stays below.
inline const double largest_correlation = 3.9;

}  // namespace statistics
