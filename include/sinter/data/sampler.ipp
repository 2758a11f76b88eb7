#pragma once

#include <numeric>  // std::iota
#include <utility>  // std::swap

#include <sinter/base/error.hpp>
#include <sinter/base/philox.hpp>
#include <sinter/data/sampler.hpp>

namespace sinter::inline SINTER_ABI::data {

namespace detail {

SINTER_INLINE std::uint64_t random_word(std::uint64_t seed, std::uint64_t epoch,
                                        std::uint64_t position) {
  const auto words = sinter::detail::random_words(seed, epoch, 0, position);
  return std::uint64_t{words[0]} << 32 | words[1];
}

// Fisher-Yates shuffle. The remainder of a random number of 64 bits favours small indices by less
// than one in 2^32 for datasets of up to 2^32 examples.
SINTER_INLINE void shuffle(std::vector<std::size_t>& indices, std::uint64_t seed,
                           std::uint64_t epoch) {
  for (std::size_t left = indices.size(); left > 1; --left) {
    std::swap(indices[left - 1], indices[random_word(seed, epoch, left) % left]);
  }
}

}  // namespace detail

SINTER_INLINE std::uint64_t seed_of(std::uint64_t seed, std::uint64_t epoch, std::size_t index) {
  return detail::random_word(~seed, epoch, index);
}

SINTER_INLINE Sampler::Sampler(std::size_t size, SamplerOptions options, Where where)
    : dataset_size_(size), count_(0), options_(options) {
  using sinter::detail::text;
  if (options.rank < 0 || options.rank >= options.ranks) {
    throw ValueError({.op = "data::Sampler",
                      .what = "there is no such rank",
                      .facts = {{"rank", text(options.rank)}, {"ranks", text(options.ranks)}},
                      .rule = "0 <= rank < ranks",
                      .fix = "give each of the processes its number, from 0 on",
                      .where = where});
  }
  const auto rank = static_cast<std::size_t>(options.rank);
  const auto ranks = static_cast<std::size_t>(options.ranks);
  count_ = size / ranks + (!options.drop_last && rank < size % ranks ? 1 : 0);
}

SINTER_INLINE std::vector<std::size_t> Sampler::indices(std::uint64_t epoch) const {
  std::vector<std::size_t> order(dataset_size_), result(count_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (options_.shuffle) detail::shuffle(order, options_.seed, epoch);
  const auto rank = static_cast<std::size_t>(options_.rank);
  const auto ranks = static_cast<std::size_t>(options_.ranks);
  for (std::size_t i = 0; i < count_; ++i) result[i] = order[rank + i * ranks];
  return result;
}

}  // namespace sinter::inline SINTER_ABI::data
