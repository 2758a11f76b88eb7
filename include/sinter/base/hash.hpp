#pragma once
// The 128-bit hash behind every cache key: the same on every machine and in every process.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::uint64_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// 128 bits: among a billion keys, two are equal by accident with a probability of 1e-21.
struct Hash {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const Hash&) const = default;
};

/// 32 hexadecimal digits.
inline std::string to_string(const Hash& hash) {
  std::string result;
  for (const std::uint64_t word : {hash.high, hash.low}) {
    for (int shift = 60; shift >= 0; shift -= 4) result += "0123456789abcdef"[(word >> shift) & 15];
  }
  return result;
}

/// Hashes a sequence of values. The order matters; the text of a value is hashed with its length,
/// so that "ab", "c" differs from "a", "bc".
class Hasher {
 public:
  constexpr Hasher& add(std::uint64_t word) {
    a_ = fold(a_ ^ word, 0x9e3779b97f4a7c15);
    b_ = fold(b_ + word, 0xd6e8feb86659fd93) ^ a_;
    return *this;
  }
  constexpr Hasher& add(std::string_view text) {
    add(text.size());
    for (std::size_t i = 0; i < text.size(); i += 8) {
      std::uint64_t word = 0;
      for (std::size_t j = i; j < i + 8 && j < text.size(); ++j) {
        word = word << 8 | static_cast<unsigned char>(text[j]);
      }
      add(word);
    }
    return *this;
  }
  constexpr Hasher& add(const Hash& hash) { return add(hash.high).add(hash.low); }

  constexpr Hash result() const {
    return {fold(a_ ^ 0xa0761d6478bd642f, 0xe7037ed1a0b428db), fold(b_, 0x8ebc6af09c88c6e3)};
  }

 private:
  // Both halves of a 128-bit product: every bit of the operand reaches every bit of the result.
  static constexpr std::uint64_t fold(std::uint64_t x, std::uint64_t y) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(x ^ 0x2d358dccaa6c78a5) * y;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^
           (x << 32 | x >> 32);
  }

  std::uint64_t a_ = 0x243f6a8885a308d3, b_ = 0x13198a2e03707344;
};

/// The hash of one text.
constexpr Hash hash_of(std::string_view text) { return Hasher().add(text).result(); }

/// For unordered containers whose key is a Hash.
struct HashOfHash {
  std::size_t operator()(const Hash& hash) const { return hash.low; }
};

}  // namespace sinter::inline SINTER_ABI::detail
