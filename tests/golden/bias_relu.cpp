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
// How many elements of `size` bytes, of `most`, come before a vector that lies in one line.
INLINE long before_line(const void* p, long size, long lanes, long most) {
  const long before = -(unsigned long)p / size % lanes;
  return before < most ? before : most;
}
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
INLINE f32x16 load_f32x16(const void* p) {
  f32x16 v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
// A store that passes the caches by, where `past` them is faster.
INLINE void stream_f32x16(bool past, void* p, f32x16 v) {
#if defined(__AVX512F__) || (defined(__AVX__) && 16 * 32 <= 256)
  if (__builtin_expect(past && (unsigned long)p % sizeof(v) == 0, 1)) {
    typedef f32x16 Memory __attribute__((may_alias));
    __asm__("vmovntps %1, %0" : "=m"(*(Memory*)p) : "v"(v));
    return;
  }
#endif
  store_f32x16(p, v);
}
// Other threads see what was streamed from here on.
INLINE void stream_end() {
#if defined(__x86_64__)
  __asm__ volatile("sfence" ::: "memory");
#endif
}
extern "C" void bias_relu_efc535b7(void* const* buffers, const long* sizes, Context* context,
    long thread, long threads) {
  const float* const in0 = (const float*)buffers[0];
  const float* const in1 = (const float*)buffers[1];
  const float* const in2 = (const float*)buffers[2];
  float* const out3 = (float*)buffers[3];
  const long n0 = sizes[0];
  const long n1 = sizes[1];
  const long first = share(n0, 1, thread, threads);
  const long last = share(n0, 1, thread + 1, threads);
  if (first >= last) return;
  const bool past3 = (n0*n1) >= 8388608;
  const float v1 = in2[0];                                      // input
  const f32x16 s1 = splat_f32x16(v1);
  const f32x16 s5 = splat_f32x16(0x0p+0f);                      // constant 0
  for (long i0 = first; i0 < last; ++i0) {
    const float* const p0 = in0 + (n1*i0);
    float* const p8 = out3 + (n1*i0);
    long i1 = 0;
    if (const long lanes = before_line(p8 + i1, 4, 16, n1)) {
      const f32x16 v0 = load_part_f32x16(lanes, p0 + i1);       // input
      const f32x16 v2 = v0 * s1;                                // mul
      const f32x16 v3 = load_part_f32x16(lanes, in1 + i1);      // input
      const f32x16 v4 = v2 + v3;                                // add
      const i32x16 v6 = v4 < s5;                                // lt
      const f32x16 v7 = v6 ? s5 : v4;                           // select
      store_part_f32x16(lanes, p8 + i1, v7);
      i1 = lanes;
    }
    if (past3) {
      for (; i1 + 16 <= n1; i1 += 16) {
        const f32x16 v0 = load_f32x16(p0 + i1);                 // input
        const f32x16 v2 = v0 * s1;                              // mul
        const f32x16 v3 = load_f32x16(in1 + i1);                // input
        const f32x16 v4 = v2 + v3;                              // add
        const i32x16 v6 = v4 < s5;                              // lt
        const f32x16 v7 = v6 ? s5 : v4;                         // select
        stream_f32x16(past3, p8 + i1, v7);
      }
    }
    else {
      for (; i1 + 16 <= n1; i1 += 16) {
        const f32x16 v0 = load_f32x16(p0 + i1);                 // input
        const f32x16 v2 = v0 * s1;                              // mul
        const f32x16 v3 = load_f32x16(in1 + i1);                // input
        const f32x16 v4 = v2 + v3;                              // add
        const i32x16 v6 = v4 < s5;                              // lt
        const f32x16 v7 = v6 ? s5 : v4;                         // select
        store_f32x16(p8 + i1, v7);
      }
    }
    if (i1 < n1) {
      const long lanes = n1 - i1;
      const f32x16 v0 = load_part_f32x16(lanes, p0 + i1);       // input
      const f32x16 v2 = v0 * s1;                                // mul
      const f32x16 v3 = load_part_f32x16(lanes, in1 + i1);      // input
      const f32x16 v4 = v2 + v3;                                // add
      const i32x16 v6 = v4 < s5;                                // lt
      const f32x16 v7 = v6 ? s5 : v4;                           // select
      store_part_f32x16(lanes, p8 + i1, v7);
    }
  }
  if (past3) stream_end();
}
