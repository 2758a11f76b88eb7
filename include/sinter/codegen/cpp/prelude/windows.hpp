#pragma once
// Helpers of generated C++ for loads of which some lanes are out of bounds, as at the edge of a
// padded window.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 8> cpp_window_helpers{{
    {"later", "", Lanes::any, R"(INLINE long later(long a, long b) { return a > b ? a : b; })"},
    {"lanes_before", "", Lanes::any,
     R"(// How many lanes, `step` elements apart, lie in the first `elements`.
INLINE long lanes_before(long elements, long step) {
  return elements > 0 ? (elements + step - 1) / step : 0;
})"},
    {"load_within", "u8 i8 i16 u16 i32 u32 i64 u64 f32 f64", Lanes::native,
     R"(// Reads the lanes from `from` to `to`; the others are those of `v`.
INLINE $T load_within_$S(long from, long to, const void* p, $T v) {
  if (from <= 0 && to >= $N) return load_$S(p);
  from = from > 0 ? from : 0;
  to = to < $N ? to : $N;
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  typedef $T Memory __attribute__((may_alias, aligned(1)));
  const unsigned long live = to > from ? (~0ul << from) & (~0ul >> (64 - to)) : 0;
  __asm__("vmovdqu$B %1, %0%{%2%}" : "+v"(v) : "m"(*(const Memory*)p), "Yk"(live));
#elif defined(__AVX2__) && $N * $B <= 256 && $B >= 32
  typedef $T Memory __attribute__((may_alias, aligned(1)));
  const $I live = (($I){$L} >= ($J)from) & (($I){$L} < ($J)to);
  $T inside;
  if ($B == 32) {
    __asm__("vpmaskmovd %1, %2, %0" : "=x"(inside) : "m"(*(const Memory*)p), "x"(live));
  } else {
    __asm__("vpmaskmovq %1, %2, %0" : "=x"(inside) : "m"(*(const Memory*)p), "x"(live));
  }
  v = live ? inside : v;
#else
  const long bytes = sizeof(v[0]);
  if (to > from) {
    __builtin_memcpy((char*)&v + from * bytes, (const char*)p + from * bytes, (to - from) * bytes);
  }
#endif
  return v;
})"},
    {"load_within", "u8 i8 i16 u16 i32 u32 i64 u64 f32 f64", Lanes::vector,
     R"(INLINE $T load_within_$S(long from, long to, const void* p, $T v) {
  if (from <= 0 && to >= $N) return load_$S(p);
  const long first = from > 0 ? from : 0, bytes = sizeof(v[0]);
  const long lanes = (to < $N ? to : $N) - first;
  if (lanes > 0) {
    __builtin_memcpy((char*)&v + first * bytes, (const char*)p + first * bytes, lanes * bytes);
  }
  return v;
})"},
    {"load_evens", "u8 i8 i16 u16 i32 u32 i64 u64 f32 f64", Lanes::vector,
     R"(// The same for every second element. All lanes of `v` are equal.
INLINE $T load_evens_$S(long from, long to, const void* p, $T v) {
  if (from <= 0 && to >= $N) {
    const $T first = load_$S(p), last = load_$S((const char*)p + ($N - 1) * sizeof(v[0]));
    return __builtin_shufflevector(first, last, $W);
  }
  const void* const next = (const char*)p + sizeof(v);
  from = from > 0 ? from : 0;
  to = to < $N ? to : $N;
  const $T low = load_within_$S(2 * from, 2 * to - 1, p, v);
  const $T high = load_within_$S(2 * from - $N, 2 * to - 1 - $N, next, v);
  return __builtin_shufflevector(low, high, $V);
})"},
    {"store_pairs", "u8 i8 i16 u16 i32 u32 i64 u64 f32 f64", Lanes::vector,
     R"(// Stores the lanes of `b` between those of `a`.
INLINE void store_pairs_$S(void* p, $T a, $T b) {
  store_$S(p, __builtin_shufflevector(a, b, $P));
  store_$S((char*)p + sizeof(a), __builtin_shufflevector(a, b, $Q));
})"},
    {"store_pairs_part", "u8 i8 i16 u16 i32 u32 i64 u64 f32 f64", Lanes::vector,
     R"(INLINE void store_pairs_part_$S(long lanes, void* p, $T a, $T b) {
  const long low = 2 * lanes < $N ? 2 * lanes : $N;
  store_part_$S(low, p, __builtin_shufflevector(a, b, $P));
  store_part_$S(2 * lanes - low, (char*)p + sizeof(a), __builtin_shufflevector(a, b, $Q));
})"},
    {"stream_pairs", "u8 i8 i16 u16 i32 i64 f32 f64", Lanes::vector,
     R"(INLINE void stream_pairs_$S(bool past, void* p, $T a, $T b) {
  stream_$S(past, p, __builtin_shufflevector(a, b, $P));
  stream_$S(past, (char*)p + sizeof(a), __builtin_shufflevector(a, b, $Q));
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
