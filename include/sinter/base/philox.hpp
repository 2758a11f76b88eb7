#pragma once
// Philox4x32-10: the random bits of every backend and device.

#include <array>    // std::array
#include <cstdint>  // std::uint32_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

/// Four random words for a counter and a key: ten rounds, each a product, an exchange of halves,
/// and an exclusive or with a key that moves on by the golden ratio and sqrt(3) - 1.
///
/// Source  Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (2011); the same as
///         philox4x32_R(10, ...) of Random123 and curand's Philox4_32_10
constexpr PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t even = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t odd = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(odd >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(odd),
               static_cast<std::uint32_t>(even >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(even)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return counter;
}

/// The four words at the positions 4 * group ... 4 * group + 3 of a draw. The draws of a process
/// are numbered in the order in which they are made: draw `number` of a recording whose first draw
/// is `offset` is draw offset + number, compiled or not. Word `position % 4` of the group `position
/// / 4` belongs to `position`, the row-major index of an element:
///
///   key      low word of seed, high word of seed
///   counter  low word of group, high word of group,
///            high word of offset + number, low word of offset + number
constexpr PhiloxCounter random_words(std::uint64_t seed, std::uint64_t offset, std::uint32_t number,
                                     std::uint64_t group) {
  const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
  const std::uint64_t draw = offset + number;
  return philox4x32({low(group), high(group), high(draw), low(draw)}, {low(seed), high(seed)});
}

}  // namespace sinter::inline SINTER_ABI::detail
