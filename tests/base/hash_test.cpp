#include <doctest/doctest.h>
#include <sinter/base/hash.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

using namespace sinter;
using namespace sinter::detail;

namespace {

int different_bits(const Hash& a, const Hash& b) {
  return std::popcount(a.high ^ b.high) + std::popcount(a.low ^ b.low);
}

Hash of(std::initializer_list<std::uint64_t> words) {
  Hasher hasher;
  for (const std::uint64_t word : words) hasher.add(word);
  return hasher.result();
}

}  // namespace

// Files in the caches of users are found by these values. A change of the hash is a change of the
// format of the cache.
TEST_CASE("hash: is the same in every process, on every machine, in every version") {
  CHECK(to_string(Hasher().result()) == "d57940377dc25eab0cd7da312d5e0e9e");
  CHECK(to_string(hash_of("")) == "c7ff1972a59533e21eef9a81be8932c2");
  CHECK(to_string(hash_of("sinter")) == "1fb133e5f76a5edf8e587249de35a0a8");
  CHECK(to_string(of({0, 1, ~std::uint64_t{0}})) == "2746e478da8d27fc98d38acdedf1f2e6");
}

TEST_CASE("hash: is a constant expression") {
  static_assert(hash_of("a") != hash_of("b"));
  CHECK(to_string(Hash{0x1, 0xabcdef}) == "00000000000000010000000000abcdef");
}

TEST_CASE("hash: order, number and boundaries matter") {
  CHECK(of({1, 2}) != of({2, 1}));
  CHECK(of({0}) != of({0, 0}));
  CHECK(of({}) != of({0}));
  CHECK(Hasher().add("ab").add("c").result() != Hasher().add("a").add("bc").result());
  CHECK(Hasher().add("").add("a").result() != Hasher().add("a").add("").result());
  CHECK(hash_of("a") != hash_of(std::string_view("a\0", 2)));
  CHECK(hash_of("12345678") != hash_of(std::string_view("12345678\0", 9)));
}

TEST_CASE("hash: a bit of a word changes about half the bits of the result") {
  double total = 0;
  int least = 128;
  for (int bit = 0; bit < 64; ++bit) {
    for (std::uint64_t word = 0; word < 64; ++word) {
      const std::uint64_t value = word * 0x0123456789abcdef;
      const int changed = different_bits(of({value, 5}), of({value ^ std::uint64_t{1} << bit, 5}));
      total += changed;
      least = std::min(least, changed);
    }
  }
  CHECK(total / (64 * 64) > 60);
  CHECK(total / (64 * 64) < 68);
  CHECK(least > 20);
}

TEST_CASE("hash: small words, in which graphs are rich, do not collide") {
  std::set<std::pair<std::uint64_t, std::uint64_t>> whole;
  std::set<std::uint64_t> high, low;
  for (std::uint64_t a = 0; a < 64; ++a) {
    for (std::uint64_t b = 0; b < 64; ++b) {
      for (std::uint64_t c = 0; c < 16; ++c) {
        const Hash hash = of({a, b, c});
        whole.insert({hash.high, hash.low});
        high.insert(hash.high);
        low.insert(hash.low);
      }
    }
  }
  const std::size_t expected = 64 * 64 * 16;
  CHECK(whole.size() == expected);
  CHECK(high.size() == expected);
  CHECK(low.size() == expected);
}

TEST_CASE("hash: a hash is added as its two words") {
  const Hash inner = hash_of("inner");
  CHECK(Hasher().add(inner).result() == of({inner.high, inner.low}));
}
