#pragma once
// One function of sinter against the same function by hand and in torch, on one thread and on all.

#include <cstdint>  // std::int64_t, std::uint32_t
#include <cstdlib>  // std::getenv, std::strtoul
#include <random>   // std::mt19937, std::random_device
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/sinter.hpp>

#include "measure.hpp"
#include "peer.hpp"
#include "report.hpp"
#include "share.hpp"

namespace bench {

using Sizes = std::vector<std::int64_t>;

/// "4096x1024"
inline std::string size_text(const Sizes& sizes) {
  std::string result;
  for (const std::int64_t size : sizes) {
    result += (result.empty() ? "" : "x") + std::to_string(size);
  }
  return result;
}

/// A size from `low` to `high`, so that nothing is tuned to those of the table. Each run draws
/// others; SINTER_BENCH_SEED repeats those of a run.
inline std::int64_t draw(std::int64_t low, std::int64_t high) {
  static std::mt19937 random = [] {
    const char* seed = std::getenv("SINTER_BENCH_SEED");
    return std::mt19937(seed == nullptr
                            ? std::random_device()()
                            : static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 10)));
  }();
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

/// f32 numbers from -1 to 1, each the same in every run.
inline sinter::Tensor numbers(const Sizes& sizes, std::uint32_t seed = 1) {
  std::size_t count = 1;
  for (const std::int64_t size : sizes) count *= static_cast<std::size_t>(size);
  std::vector<float> values(count);
  std::uint32_t state = seed * 2654435761u;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  }
  return sinter::from_vector(values, sinter::Shape(std::span<const std::int64_t>(sizes)));
}

/// Pairs of runs for what takes so long: about two seconds, and never less than five.
inline int pairs_for(double seconds) {
  return seconds < 0.05 ? 21 : std::max(5, static_cast<int>(2.0 / (2 * seconds)));
}

/// The rows of one function.
class Match {
 public:
  /// `function` is what the peer calls it.
  Match(const Report& report, Peer& peer, std::string function, Sizes sizes)
      : report_(report), peer_(peer), function_(std::move(function)), sizes_(std::move(sizes)) {}

  /// `make()` compiles, and gives what runs once; `hand(begin, end)`, if there is one, computes a
  /// part of 0..count.
  template <class Make, class Hand>
  void run(Make make, std::size_t count, Hand hand) const {
    each_team([&](int threads) {
      auto sample = sample_of(make());
      auto bound = sample_of([&] { share(count, threads, hand); });
      const int pairs = pairs_for(sample());
      report_.add(name(), threads, compare(sample, bound, pairs), "by hand", 0.9);
      against_peers(sample, threads, pairs);
    });
  }

  template <class Make>
  void run(Make make) const {
    each_team([&](int threads) {
      auto sample = sample_of(make());
      against_peers(sample, threads, pairs_for(sample()));
    });
  }

  /// Against arithmetic at `operations_per_second` of each thread.
  template <class Make>
  void run_against(Make make, double operations, double operations_per_second) const {
    each_team([&](int threads) {
      auto sample = sample_of(make());
      const int pairs = pairs_for(sample());
      const double bound = operations / (operations_per_second * threads);
      const double seconds = median_of(sample, pairs);
      report_.add({.problem = {},
                   .size = name(),
                   .threads = threads,
                   .sinter = seconds,
                   .peer = bound,
                   .peer_name = "FMA peak",
                   .ratio = bound / seconds,
                   .target = 0});
      against_peers(sample, threads, pairs);
    });
  }

 private:
  std::string name() const { return function_ + " " + size_text(sizes_); }

  template <class Body>
  static void each_team(Body body) {
    for (const int threads : {1, sinter::runtime::num_threads()}) {
      sinter::set_num_threads(threads);
      body(threads);
      sinter::set_num_threads(0);
    }
  }

  template <class Sample>
  void against_peers(Sample& sample, int threads, int pairs) const {
    for (const std::string kind : {"eager", "compile"}) {
      if (!peer_.prepare(kind + " " + function_ + " " + size_text(sizes_), threads)) continue;
      report_.add(name(), threads, compare(sample, peer_, pairs), "torch " + kind, 1);
    }
  }

  const Report& report_;
  Peer& peer_;
  std::string function_;
  Sizes sizes_;
};

}  // namespace bench
