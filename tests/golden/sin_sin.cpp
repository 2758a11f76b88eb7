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
INLINE f32x16 load_f32x16(const void* p) {
  f32x16 v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
typedef unsigned int u32x16 __attribute__((vector_size(64)));
// v, negated where the number in the last bits of `shifted` is odd.
INLINE f32x16 half_turns_f32x16(f32x16 v, f32x16 shifted) {
  const u32x16 odd = __builtin_bit_cast(u32x16, shifted) << (8 * sizeof(float) - 1);
  return __builtin_bit_cast(f32x16, __builtin_bit_cast(u32x16, v) ^ odd);
}
INLINE float fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
// a * b + c, rounded once.
INLINE f32x16 fma_f32x16(f32x16 a, f32x16 b, f32x16 c) {
#if defined(__FMA__) && (16 * 32 <= 256 || defined(__AVX512F__))
  __asm__("vfmadd213ps %2, %1, %0" : "+v"(a) : "v"(b), "v"(c));
#else
  for (int i = 0; i < 16; ++i) a[i] = fma_f32(a[i], b[i], c[i]);
#endif
  return a;
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
// The sine of x - n * pi for moderate x: pi in three parts, all positive, which keeps -0.
// Rounding alone would make it larger than 1.
INLINE f32x16 arc_f32x16(f32x16 x, f32x16 n) {
  f32x16 r = fma_f32x16(n, -0x1.921fb4p+1f - (f32x16){}, x);
  r = fma_f32x16(n, -0x1.4442dp-23f - (f32x16){}, r);
  r = fma_f32x16(n, -0x1.84698ap-47f - (f32x16){}, r);
  const f32x16 z = r * r;
  f32x16 s = 0x1.5dc8c4p-19f - (f32x16){};
  s = s * z + -0x1.9f70eep-13f;
  s = s * z + 0x1.110edap-7f;
  s = s * z + -0x1.55554cp-3f;
  return at_most_f32x16(at_least_f32x16(fma_f32x16(r * z, s, r), -1 - (f32x16){}), 1 - (f32x16){});
}
INLINE f32x16 moderate_sin_f32x16(f32x16 x) {
  const f32x16 shifted = x * 0x1.45f306p-2f + 0x1.8p+23f;
  const f32x16 value = half_turns_f32x16(arc_f32x16(x, shifted - 0x1.8p+23f), shifted);
  return x == 0 ? x : value;
}
typedef float f32x8 __attribute__((vector_size(32)));
typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x2 __attribute__((vector_size(8)));
INLINE bool all_below_f32(float v, float limit) { return v < limit; }
INLINE bool all_below_f32x2(f32x2 v, f32x2 limit) {
  return all_below_f32(v[0], limit[0]) && all_below_f32(v[1], limit[1]);
}
INLINE bool all_below_f32x4(f32x4 v, f32x4 limit) {
#if defined(__AVX512VL__) && defined(__AVX512BW__)
  unsigned above;
  __asm__("vcmpps $5, %2, %1, %0" : "=Yk"(above) : "v"(v), "v"(limit));
  return above == 0;
#else
  return all_below_f32x2(__builtin_shufflevector(v, v, 0, 1), __builtin_shufflevector(limit, limit,
      0, 1)) && all_below_f32x2(__builtin_shufflevector(v, v, 2, 3), __builtin_shufflevector(limit,
      limit, 2, 3));
#endif
}
INLINE bool all_below_f32x8(f32x8 v, f32x8 limit) {
#if defined(__AVX512VL__) && defined(__AVX512BW__)
  unsigned above;
  __asm__("vcmpps $5, %2, %1, %0" : "=Yk"(above) : "v"(v), "v"(limit));
  return above == 0;
#else
  return all_below_f32x4(__builtin_shufflevector(v, v, 0, 1, 2, 3), __builtin_shufflevector(limit,
      limit, 0, 1, 2, 3)) && all_below_f32x4(__builtin_shufflevector(v, v, 4, 5, 6, 7),
      __builtin_shufflevector(limit, limit, 4, 5, 6, 7));
#endif
}
INLINE bool all_below_f32x16(f32x16 v, f32x16 limit) {
#if defined(__AVX512VL__) && defined(__AVX512BW__)
  unsigned above;
  __asm__("vcmpps $5, %2, %1, %0" : "=Yk"(above) : "v"(v), "v"(limit));
  return above == 0;
#else
  return all_below_f32x8(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7),
      __builtin_shufflevector(limit, limit, 0, 1, 2, 3, 4, 5, 6, 7))
      && all_below_f32x8(__builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15),
      __builtin_shufflevector(limit, limit, 8, 9, 10, 11, 12, 13, 14, 15));
#endif
}
INLINE f32x16 abs_f32x16(f32x16 v) {
  return __builtin_bit_cast(f32x16, __builtin_bit_cast(u32x16, v) & (~(u32x16){} >> 1));
}
// Where x is huge. Apart, so that what is in registers stays there in the loops around.
static __attribute__((noinline, cold)) f32x16 huge_sin_f32x16(f32x16 x, f32x16 value) {
  for (int i = 0; i < 16; ++i) {
    if (!(__builtin_fabsf(x[i]) < 0x1p+16f)) value[i] = __builtin_sinf(x[i]);
  }
  return value;
}
INLINE f32x16 sin_f32x16(f32x16 x) {
  const f32x16 value = moderate_sin_f32x16(x);
  return all_below_f32x16(abs_f32x16(x), 0x1p+16f - (f32x16){}) ? value : huge_sin_f32x16(x, value);
}
INLINE void store_f32x16(void* p, f32x16 v) { __builtin_memcpy(p, &v, sizeof(v)); }
extern "C" void sin_sin_7d451bd1(void* const* buffers, const long* sizes, Context* context,
    long thread, long threads) {
  const float* const in0 = (const float*)buffers[0];
  float* const out1 = (float*)buffers[1];
  const long first = share(10000, 16, thread, threads);
  const long last = share(10000, 16, thread + 1, threads);
  if (first >= last) return;
  for (long i0 = first; i0 < last; i0 += 16) {
    const f32x16 v0 = load_f32x16(in0 + i0);                    // input
    const f32x16 v1 = sin_f32x16(v0);                           // sin
    const f32x16 v2 = sin_f32x16(v1);                           // sin
    store_f32x16(out1 + i0, v2);
  }
}
