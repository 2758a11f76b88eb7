#pragma GCC diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))

// What a kernel reports: 1 + the number of the check that failed, what was found, the bound
// of indices, the position of the element; a lock. How many threads have ended.
struct Context {
  long fault, value, bound, position, lock, ended;
};
// Where the part of `thread` begins, in steps.
INLINE long share(long extent, long step, long thread, long threads) {
  const long begin = (extent + step - 1) / step * thread / threads * step;
  return begin < extent ? begin : extent;
}
typedef float f32x16 __attribute__((vector_size(64)));
INLINE f32x16 splat_f32x16(float v) { return v - (f32x16){}; }
typedef int i32x16 __attribute__((vector_size(64)));
INLINE f32x16 load_part_f32x16(long lanes, const void* p) {
  f32x16 v = {};
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  typedef f32x16 Memory __attribute__((may_alias, aligned(1)));
  const unsigned long live = (1ul << lanes) - 1;
  __asm__("vmovdqu32 %1, %0%{%2%}%{z%}" : "=v"(v) : "m"(*(const Memory*)p), "Yk"(live));
#elif defined(__AVX2__) && 16 * 32 <= 256 && 32 >= 32
  typedef f32x16 Memory __attribute__((may_alias, aligned(1)));
  const i32x16 live = (i32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} < (int)lanes;
  if (32 == 32) __asm__("vpmaskmovd %1, %2, %0" : "=x"(v) : "m"(*(const Memory*)p), "x"(live));
  if (32 == 64) __asm__("vpmaskmovq %1, %2, %0" : "=x"(v) : "m"(*(const Memory*)p), "x"(live));
#else
  __builtin_memcpy(&v, p, lanes * sizeof(v[0]));
#endif
  return v;
}
INLINE f32x16 maximum_f32x16(f32x16 a, f32x16 b) { return ((a > b) | (a != a)) ? a : b; }
INLINE f32x16 keep_f32x16(long lanes, f32x16 v, f32x16 other) {
  return (i32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15} < (int)lanes ? v : other;
}
typedef float f32x8 __attribute__((vector_size(32)));
typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x2 __attribute__((vector_size(8)));
INLINE float max_lanes_f32(float v) { return v; }
INLINE float maximum_f32(float a, float b) { return ((a > b) | (a != a)) ? a : b; }
INLINE float max_lanes_f32x2(f32x2 v) {
  return max_lanes_f32(maximum_f32(v[0], v[1]));
}
INLINE f32x2 maximum_f32x2(f32x2 a, f32x2 b) { return ((a > b) | (a != a)) ? a : b; }
INLINE float max_lanes_f32x4(f32x4 v) {
  return max_lanes_f32x2(maximum_f32x2(__builtin_shufflevector(v, v, 0, 1),
      __builtin_shufflevector(v, v, 2, 3)));
}
INLINE f32x4 maximum_f32x4(f32x4 a, f32x4 b) { return ((a > b) | (a != a)) ? a : b; }
INLINE float max_lanes_f32x8(f32x8 v) {
  return max_lanes_f32x4(maximum_f32x4(__builtin_shufflevector(v, v, 0, 1, 2, 3),
      __builtin_shufflevector(v, v, 4, 5, 6, 7)));
}
INLINE f32x8 maximum_f32x8(f32x8 a, f32x8 b) { return ((a > b) | (a != a)) ? a : b; }
INLINE float max_lanes_f32x16(f32x16 v) {
  return max_lanes_f32x8(maximum_f32x8(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7),
      __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)));
}
// v, but no more than `limit`; NaN stays.
INLINE f32x16 at_most_f32x16(f32x16 v, f32x16 limit) {
#if defined(__AVX__) && (16 * 32 <= 256 || defined(__AVX512F__))
  __asm__("vminps %0, %1, %0" : "+v"(v) : "v"(limit));
  return v;
#else
  return v > limit ? limit : v;
#endif
}
// v, but no less than `limit`; NaN stays.
INLINE f32x16 at_least_f32x16(f32x16 v, f32x16 limit) {
#if defined(__AVX__) && (16 * 32 <= 256 || defined(__AVX512F__))
  __asm__("vmaxps %0, %1, %0" : "+v"(v) : "v"(limit));
  return v;
#else
  return v < limit ? limit : v;
#endif
}
// v * 2^n for n down to -250: twice half of n, so that results may be subnormal.
INLINE f32x16 scale_by_bits_f32x16(f32x16 v, f32x16 n) {
  const f32x16 magic = 0x1.8p+23f - (f32x16){};
  const i32x16 whole = __builtin_bit_cast(i32x16, n + magic) - __builtin_bit_cast(i32x16, magic);
  const i32x16 half = whole >> 1, rest = whole - half;
  const f32x16 first = __builtin_bit_cast(f32x16, (half + 127) << 23);
  return v * first * __builtin_bit_cast(f32x16, (rest + 127) << 23);
}
// v * 2^n, rounded once.
INLINE f32x16 scale_f32x16(f32x16 v, f32x16 n) {
#if defined(__AVX512VL__)
  __asm__("vscalefps %1, %0, %0" : "+v"(v) : "v"(n));
  return v;
#else
  return scale_by_bits_f32x16(v, n);
#endif
}
// 2^n * p(x - n * log(2))
INLINE f32x16 exp_f32x16(f32x16 x) {
  const f32x16 inside = at_most_f32x16(at_least_f32x16(x, -104.0f - (f32x16){}),
      89.0f - (f32x16){});
  const f32x16 n = (inside * 0x1.715476p+0f + 0x1.8p+23f) - 0x1.8p+23f;
  const f32x16 r = (inside - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f, rr = r * r;
  const f32x16 low = 0x1.555492p-3f * r + 0x1.fffffcp-2f, high = 0x1.1239ap-7f * r + 0x1.5558b4p-5f;
  const f32x16 p = (0x1.6a496p-10f * rr + high) * rr + low;
  return scale_f32x16(1 + (r + rr * p), n);
}
INLINE void store_f32x16(void* p, f32x16 v) { __builtin_memcpy(p, &v, sizeof(v)); }
INLINE void store_part_f32x16(long lanes, void* p, f32x16 v) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  typedef f32x16 Memory __attribute__((may_alias, aligned(1)));
  const unsigned long live = (1ul << lanes) - 1;
  __asm__("vmovdqu32 %1, %0%{%2%}" : "+m"(*(Memory*)p) : "v"(v), "Yk"(live));
#elif defined(__x86_64__) && 16 * 32 <= 256  // masked stores take twice the time
  if (lanes == 16) return store_f32x16(p, v);
  typedef long Words __attribute__((vector_size(sizeof(v))));
  const Words words = __builtin_bit_cast(Words, v);
  const long bytes = lanes * sizeof(v[0]);
  char* to = (char*)p;
  unsigned long low = words[0], high = words[1];
  if (sizeof(v) == 32 && (bytes & 16)) {
    __builtin_memcpy(to, &low, 8), __builtin_memcpy(to + 8, &high, 8), to += 16;
    low = words[16 * 32 / 64 - 2], high = words[16 * 32 / 64 - 1];
  }
  if (bytes & 8) __builtin_memcpy(to, &low, 8), to += 8, low = high;
  if (32 < 64 && (bytes & 4)) __builtin_memcpy(to, &low, 4), to += 4, low >>= 32;
  if (32 < 32 && (bytes & 2)) __builtin_memcpy(to, &low, 2), to += 2, low >>= 16;
  if (32 < 16 && (bytes & 1)) __builtin_memcpy(to, &low, 1);
#else
  __builtin_memcpy(p, &v, lanes * sizeof(v[0]));
#endif
}
INLINE float sum_lanes_f32(float v) { return v; }
INLINE float sum_lanes_f32x2(f32x2 v) { return sum_lanes_f32(v[0] + v[1]); }
INLINE float sum_lanes_f32x4(f32x4 v) { return sum_lanes_f32x2(__builtin_shufflevector(v, v, 0, 1)
    + __builtin_shufflevector(v, v, 2, 3)); }
INLINE float sum_lanes_f32x8(f32x8 v) { return sum_lanes_f32x4(__builtin_shufflevector(v, v, 0, 1,
    2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7)); }
INLINE float sum_lanes_f32x16(f32x16 v) { return sum_lanes_f32x8(__builtin_shufflevector(v, v, 0,
    1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)); }
extern "C" void softmax_be7efb78(void* const* buffers, const long* sizes, Context* context,
    long thread, long threads) {
  const float* const in0 = (const float*)buffers[0];
  float* const out1 = (float*)buffers[1];
  const long first = share(64, 1, thread, threads);
  const long last = share(64, 1, thread + 1, threads);
  if (first >= last) return;
  alignas(64) float row2[10];
  for (long i0 = first; i0 < last; ++i0) {
    const float* const p0 = in0 + (10*i0);
    f32x16 a1 = splat_f32x16((-__builtin_inff()));
    long k0 = 0;
    if (k0 < 10) {
      const long lanes = 10 - k0;
      const f32x16 v0 = load_part_f32x16(lanes, p0 + k0);       // input
      a1 = maximum_f32x16(keep_f32x16(lanes, v0, splat_f32x16((-__builtin_inff()))), a1); // max
    }
    const float v1 = max_lanes_f32x16(a1);                      // max
    const f32x16 s1 = splat_f32x16(v1);
    const float* const p2 = in0 + (10*i0);
    f32x16 a6 = splat_f32x16(0x0p+0f);
    long k1 = 0;
    if (k1 < 10) {
      const long lanes = 10 - k1;
      const f32x16 v2 = load_part_f32x16(lanes, p2 + k1);       // input
      const f32x16 v3 = v2 - s1;                                // sub
      const f32x16 v4 = exp_f32x16(v3);                         // exp
      a6 = a6 + keep_f32x16(lanes, v4, splat_f32x16(0x0p+0f));  // sum
      store_part_f32x16(lanes, row2 + k1, v4);
    }
    const float v6 = sum_lanes_f32x16(a6);                      // sum
    const float v8 = 0x1p+0f / v6;                              // div
    const f32x16 s8 = splat_f32x16(v8);
    float* const p11 = out1 + (10*i0);
    long k3 = 0;
    if (k3 < 10) {
      const long lanes = 10 - k3;
      const f32x16 v9 = load_part_f32x16(lanes, row2 + k3);     // input
      const f32x16 v10 = v9 * s8;                               // mul
      store_part_f32x16(lanes, p11 + k3, v10);
    }
  }
}
