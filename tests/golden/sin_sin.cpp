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
INLINE f32x16 abs_f32x16(f32x16 v) {
  return __builtin_bit_cast(f32x16, __builtin_bit_cast(u32x16, v) & (~(u32x16){} >> 1));
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
typedef int i32x16 __attribute__((vector_size(64)));
// The sine of x + turn * pi / 2 for moderate x: pi / 2 in three parts.
INLINE f32x16 circle_f32x16(f32x16 x, int turn) {
  const f32x16 shifted = x * 0x1.45f306p-1f + 0x1.8p+23f, n = shifted - 0x1.8p+23f;
  f32x16 r = fma_f32x16(n, -0x1.921fb6p+0f - (f32x16){}, x);
  r = fma_f32x16(n, 0x1.777a5cp-25f - (f32x16){}, r);
  r = fma_f32x16(n, 0x1.ee59dap-50f - (f32x16){}, r);
  const i32x16 quarter = __builtin_bit_cast(i32x16, shifted) + turn;
  const f32x16 z = r * r;
  f32x16 s = 0x1.7cd32cp-19f - (f32x16){};
  s = s * z + -0x1.a05bbp-13f;
  s = s * z + 0x1.111176p-7f;
  s = s * z + -0x1.555556p-3f;
  f32x16 c = 0x1.99e394p-16f - (f32x16){};
  c = c * z + -0x1.6c0c1ep-10f;
  c = c * z + 0x1.55554ap-5f;
  const f32x16 sine = r + r * z * s, cosine = 1 + (z * z * c - 0.5f * z);
  const f32x16 value = (quarter & 1) != 0 ? cosine : sine;
  return (quarter & 2) != 0 ? -value : value;
}
typedef int i32x8 __attribute__((vector_size(32)));
typedef int i32x4 __attribute__((vector_size(16)));
typedef int i32x2 __attribute__((vector_size(8)));
INLINE bool any_i32(int v) { return v != 0; }
INLINE bool any_i32x2(i32x2 v) { return any_i32(v[0] | v[1]); }
INLINE bool any_i32x4(i32x4 v) {
#if defined(__AVX512VL__) && defined(__AVX512BW__)
  unsigned live;
  __asm__("vptestmd %1, %1, %0" : "=Yk"(live) : "v"(v));
  return live != 0;
#else
  return any_i32x2(__builtin_shufflevector(v, v, 0, 1) | __builtin_shufflevector(v, v, 2, 3));
#endif
}
INLINE bool any_i32x8(i32x8 v) {
#if defined(__AVX512VL__) && defined(__AVX512BW__)
  unsigned live;
  __asm__("vptestmd %1, %1, %0" : "=Yk"(live) : "v"(v));
  return live != 0;
#else
  return any_i32x4(__builtin_shufflevector(v, v, 0, 1, 2, 3) | __builtin_shufflevector(v, v, 4, 5,
      6, 7));
#endif
}
INLINE bool any_i32x16(i32x16 v) {
#if defined(__AVX512VL__) && defined(__AVX512BW__)
  unsigned live;
  __asm__("vptestmd %1, %1, %0" : "=Yk"(live) : "v"(v));
  return live != 0;
#else
  return any_i32x8(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6,
      7) | __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
#endif
}
INLINE f32x16 sin_f32x16(f32x16 x) {
  const f32x16 size = abs_f32x16(x);
  f32x16 value = circle_f32x16(x, 0);
  value = x == 0 ? x : value;
  const i32x16 far = ~(size < 0x1p+16f);
  if (any_i32x16(far)) {
    for (int i = 0; i < 16; ++i) {
      if (far[i]) value[i] = __builtin_sinf(x[i]);
    }
  }
  return value;
}
INLINE void store_f32x16(void* p, f32x16 v) { __builtin_memcpy(p, &v, sizeof(v)); }
extern "C" void sin_sin_7e44c952(void* const* buffers, const long* sizes, Context* context,
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
