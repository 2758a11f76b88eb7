#pragma once
// CUDA helpers: argsort of a row.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::array<Helper, 6> cuda_sort_helpers{{
    {"sort_key", "bool u8", Lanes::one,
     R"(// An unsigned key that sorts as v does; NaN is the largest.
INLINE $U sort_key_$S($E v) { return v; })"},
    {"sort_key", "i8 i16 i32 i64", Lanes::one,
     R"(INLINE $U sort_key_$S($E v) { return ($U)(($U)v ^ ($U)1 << ($B - 1)); })"},
    {"sort_key", "f16 bf16", Lanes::one,
     R"(INLINE unsigned short sort_key_$S(unsigned short v) {
  const float number = f32_of_$S(v);
  if (number != number) return 0xffff;
  return number == 0 ? 0x8000 : v & 0x8000 ? (unsigned short)~v : v | 0x8000;
})"},
    {"sort_key", "f32", Lanes::one,
     R"(INLINE unsigned sort_key_f32(float v) {
  const unsigned bits = __float_as_uint(v), sign = 0x80000000u;
  if (v != v) return ~0u;
  return v == 0 ? sign : bits & sign ? ~bits : bits | sign;
})"},
    {"sort_key", "f64", Lanes::one,
     R"(INLINE unsigned long sort_key_f64(double v) {
  const unsigned long bits = (unsigned long)__double_as_longlong(v), sign = 1ul << 63;
  if (v != v) return ~0ul;
  return v == 0 ? sign : bits & sign ? ~bits : bits | sign;
})"},
    {"argsort", "bool u8 i8 i16 i32 i64 f16 bf16 f32 f64", Lanes::one,
     R"(// A stable bitonic sorting network, run by the threads of a block. Every comparator puts
// the smaller element at the smaller position, so that padding beyond the end would stay there.
static __device__ __noinline__ void argsort_$S(const $E* keys, long* to, long count, long step,
                                               bool descending) {
  const $U flip = descending ? ($U)~($U)0 : 0;
  for (long i = threadIdx.x; i < count; i += blockDim.x) to[i * step] = i;
  __syncthreads();
  for (int level = 0; 1l << level < count; ++level) {
    for (int bit = level; bit >= 0; --bit) {
      const long gap = 1l << bit;
      for (long pair = threadIdx.x;; pair += blockDim.x) {
        const long low = pair >> bit << (bit + 1) | (pair & (gap - 1));
        const long high = bit == level ? low ^ (2 * gap - 1) : low + gap;
        if (low >= count) break;
        if (high >= count) continue;
        const long a = to[low * step], b = to[high * step];
        const $U x = sort_key_$S(keys[a * step]) ^ flip, y = sort_key_$S(keys[b * step]) ^ flip;
        if (x < y || (x == y && a < b)) continue;
        to[low * step] = b;
        to[high * step] = a;
      }
      __syncthreads();
    }
  }
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
