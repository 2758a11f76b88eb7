#pragma once
// Helpers of generated C++ for random bits.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 6> cpp_random_helpers{{
    {"low_product", "", Lanes::any,
     R"(// The lower half of each lane times v.
template <class Words>
INLINE Words low_product(Words a, unsigned v) {
#ifdef __AVX2__
#ifdef __AVX512F__
  constexpr unsigned long widest = 64;
#else
  constexpr unsigned long widest = 32;
#endif
  if constexpr (sizeof(Words) > 8 && sizeof(Words) <= widest) {
    const Words factor = v - Words{};
    __asm__("vpmuludq %2, %1, %0" : "=v"(a) : "v"(a), "v"(factor));
    return a;
  }
#endif
  return (a & 0xffffffff) * v;
})"},
    {"philox", "", Lanes::any,
     R"(// Philox4x32-10: the four words of each group, in the lower halves of the lanes of c.
template <class Words>
INLINE void philox(long seed, unsigned long draw, Words group, Words (&c)[4]) {
  const Words none = {};
  c[0] = group, c[1] = group >> 32, c[2] = (draw >> 32) - none, c[3] = draw - none;
  unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const Words even = low_product(c[0], 0xD2511F53u), odd = low_product(c[2], 0xCD9E8D57u);
    c[0] = (odd >> 32) ^ c[1] ^ k0;
    c[1] = odd;
    c[2] = (even >> 32) ^ c[3] ^ k1;
    c[3] = even;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
})"},
    {"random", "i32", Lanes::any,
     R"(// Word `position % 4` of the group `position / 4`.
INLINE $T random_$S(long seed, unsigned long offset, unsigned number, $(i64) position) {
  $(u64) c[4];
  philox(seed, offset + number, $as(u64, position >> 2), c);
  const $(i64) word = position & 3;
  const $(u64) low = word == 0 ? c[0] : c[1], high = word == 2 ? c[2] : c[3];
  return $as(i32, word < 2 ? low : high);
})"},
    {"random_groups", "i32", Lanes::vector,
     R"(// The words of the groups first, first + 1, ...
INLINE $T random_groups_$S(long seed, unsigned long draw, long first) {
#if $N == 4
  unsigned long c[4];
  philox(seed, draw, (unsigned long)first, c);
  return ($T){(int)c[0], (int)c[1], (int)c[2], (int)c[3]};
#else
  typedef unsigned long Groups __attribute__((vector_size(2 * $N)));
  Groups group, c[4];
  for (int i = 0; i < $N / 4; ++i) group[i] = first + i;
  philox(seed, draw, group, c);
  const Groups low = (c[0] & 0xffffffff) | c[1] << 32, high = (c[2] & 0xffffffff) | c[3] << 32;
  return __builtin_bit_cast($T, __builtin_shufflevector(low, high, $G));
#endif
})"},
    {"random_from", "i32", Lanes::vector,
     R"(// The words from within a group on: apart, so that other loops keep their registers.
static __attribute__((noinline)) $T random_from_$S(long seed, unsigned long draw, long position) {
  const $T words[] = {random_groups_$S(seed, draw, position >> 2),
                      random_groups_$S(seed, draw, (position >> 2) + $N / 4)};
  return load_$S((const int*)words + (position & 3));
})"},
    {"random_run", "i32", Lanes::vector,
     R"(// The words at the positions first, first + 1, ...
INLINE $T random_run_$S(long seed, unsigned long offset, unsigned number, long first) {
  if (__builtin_expect(first & 3, 0)) return random_from_$S(seed, offset + number, first);
  return random_groups_$S(seed, offset + number, first >> 2);
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
