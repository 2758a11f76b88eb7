#pragma once
// A function of sinter against the same function by hand and in torch, on one thread and on all.

#include <cstdint>  // std::int64_t, std::uint32_t
#include <cstdlib>  // std::getenv, std::strtoul
#include <random>   // std::mt19937, std::random_device
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/sinter.hpp>

#include "measure.hpp"
#include "parallel_loops.hpp"
#include "peer.hpp"
#include "report.hpp"
#include "roofline.hpp"

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

/// A random size from `low` to `high`, so that nothing is tuned to the sizes of the table. Each run
/// draws new ones; SINTER_BENCH_SEED repeats those of a run.
inline std::int64_t draw(std::int64_t low, std::int64_t high) {
  static std::mt19937 random = [] {
    const char* seed = std::getenv("SINTER_BENCH_SEED");
    return std::mt19937(seed == nullptr
                            ? std::random_device()()
                            : static_cast<std::uint32_t>(std::strtoul(seed, nullptr, 10)));
  }();
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

/// f32 numbers from -1 to 1, the same in every run.
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

/// The peer of a row, and its target ratio.
struct Aim {
  std::vector<std::string> peers{"eager", "compile"};  ///< Kinds of torch.
  double of_peers = 1;
  double of_hand = 0.9;
  bool on_one_thread = true;  ///< As well as on all.
};

/// The rows of one function.
class Match {
 public:
  /// `function` is the name that the peer uses; `work` is the least work.
  Match(const Report& report, Peer& peer, std::string function, Sizes sizes, Work work,
        Aim aim = {})
      : report_(report),
        peer_(peer),
        function_(std::move(function)),
        sizes_(std::move(sizes)),
        work_(work),
        aim_(std::move(aim)) {}

  /// `make()` compiles, and returns a function that runs once; `hand(begin, end)`, if there is one,
  /// computes a part of 0..count.
  template <class Make, class Hand>
  void run(Make make, std::size_t count, Hand hand) const {
    each_team([&](int threads) {
      auto sample = sample_of(make());
      auto bound = sample_of([&] { share(count, threads, hand); });
      const int pairs = pairs_for(sample());
      add(threads, compare(sample, bound, pairs), "by hand", aim_.of_hand);
      against_peers(sample, threads, pairs);
    });
  }

  /// Without a handwritten loop there is a row against the roof.
  template <class Make>
  void run(Make make) const {
    each_team([&](int threads) {
      auto sample = sample_of(make());
      const int pairs = pairs_for(sample());
      const double seconds = median_of(sample, pairs), least = least_seconds(work_, threads);
      if (least > 0) add(threads, {seconds, least, least / seconds}, "roof", 0);
      against_peers(sample, threads, pairs);
    });
  }

 private:
  std::string name() const { return function_ + " " + size_text(sizes_); }

  template <class Body>
  void each_team(Body body) const {
    for (const int threads : {1, sinter::detail::runtime::num_threads()}) {
      if (threads == 1 && !aim_.on_one_thread) continue;
      sinter::set_num_threads(threads);
      body(threads);
      sinter::set_num_threads(0);
    }
  }

  void add(int threads, const Comparison& times, const std::string& peer, double target) const {
    report_.add(name(), threads, times, peer, target, least_seconds(work_, threads));
  }

  template <class Sample>
  void against_peers(Sample& sample, int threads, int pairs) const {
    for (const std::string& kind : aim_.peers) {
      if (!peer_.prepare(kind + " " + name(), threads)) continue;
      add(threads, compare(sample, peer_, pairs), "torch " + kind, aim_.of_peers);
    }
  }

  const Report& report_;
  Peer& peer_;
  std::string function_;
  Sizes sizes_;
  Work work_;
  Aim aim_;
};

}  // namespace bench
