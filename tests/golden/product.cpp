#pragma GCC diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))

// What a kernel reports: 1 + the number of the check that failed, what was found, the bound
// of indices, the position of the element; a lock.
struct Context {
  long fault, value, bound, position, lock;
};
// Where the part of `thread` begins, in steps.
INLINE long share(long extent, long step, long thread, long threads) {
  const long begin = (extent + step - 1) / step * thread / threads * step;
  return begin < extent ? begin : extent;
}
typedef float f32x16 __attribute__((vector_size(64)));
INLINE f32x16 splat_f32x16(float v) { return v - (f32x16){}; }
INLINE f32x16 load_f32x16(const void* p) {
  f32x16 v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
typedef unsigned int u32x16 __attribute__((vector_size(64)));
INLINE f32x16 abs_f32x16(f32x16 v) {
  return __builtin_bit_cast(f32x16, __builtin_bit_cast(u32x16, v) & (~(u32x16){} >> 1));
}
typedef int i32x16 __attribute__((vector_size(64)));
// 2^n * p(x - n * log(2)); twice half of n, so that results may be subnormal.
INLINE f32x16 exp_f32x16(f32x16 x) {
  const f32x16 low = -104.0f - (f32x16){}, high = 89.0f - (f32x16){};
  const f32x16 above = x < low ? low : x, inside = above > high ? high : above;
  const f32x16 shifted = inside * 0x1.715476p+0f + 0x1.8p+23f, n = shifted - 0x1.8p+23f;
  const f32x16 r = (inside - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
  f32x16 p = 0x1.6a496p-10f - (f32x16){};
  p = p * r + 0x1.1239ap-7f;
  p = p * r + 0x1.5558b4p-5f;
  p = p * r + 0x1.555492p-3f;
  p = p * r + 0x1.fffffcp-2f;
  const i32x16 whole = __builtin_bit_cast(i32x16, shifted) - __builtin_bit_cast(i32x16,
      0x1.8p+23f - (f32x16){});
  const i32x16 half = whole >> 1, rest = whole - half;
  const f32x16 scale = __builtin_bit_cast(f32x16, (half + 127) << 23);
  return (1 + (r + r * r * p)) * scale * __builtin_bit_cast(f32x16, (rest + 127) << 23);
}
INLINE f32x16 tanh_f32x16(f32x16 x) {
  const f32x16 size = abs_f32x16(x), z = x * x;
  f32x16 p = 0x1.193126p-9f - (f32x16){};
  p = p * z + -0x1.0c23dep-7f;
  p = p * z + 0x1.639b6ap-6f;
  p = p * z + -0x1.b9f0dap-5f;
  p = p * z + 0x1.111078p-3f;
  p = p * z + -0x1.555554p-2f;
  const f32x16 small = x + x * z * p, large = 1 - 2 / (exp_f32x16(size + size) + 1);
  return size < 0.63f ? small : x < 0 ? -large : large;
}
static __attribute__((noinline)) f32x16 call_tanh_f32x16(f32x16 v) { return tanh_f32x16(v); }
INLINE void store_f32x16(void* p, f32x16 v) { __builtin_memcpy(p, &v, sizeof(v)); }
extern "C" void product_8075b754(void* const* buffers, const long* sizes, Context* context,
    long thread, long threads) {
  const float* const in0 = (const float*)buffers[0];
  const float* const in1 = (const float*)buffers[1];
  const float* const in2 = (const float*)buffers[2];
  float* const out3 = (float*)buffers[3];
  const long first = share(64, 4, thread, threads);
  const long last = share(64, 4, thread + 1, threads);
  if (first >= last) return;
  for (long i0 = first; i0 < last; i0 += 4) {
    const float* const p0_0 = in0 + (64*i0);
    const float* const p0_1 = in0 + (64*i0 + 64);
    const float* const p0_2 = in0 + (64*i0 + 128);
    const float* const p0_3 = in0 + (64*i0 + 192);
    float* const p7_0 = out3 + (128*i0);
    float* const p7_1 = out3 + (128*i0 + 128);
    float* const p7_2 = out3 + (128*i0 + 256);
    float* const p7_3 = out3 + (128*i0 + 384);
    for (long i1 = 0; i1 < 128; i1 += 32) {
      const float* const p1_0 = in1 + i1;
      const float* const p1_1 = in1 + (i1 + 16);
      f32x16 a3_0_0 = splat_f32x16(0x0p+0f);
      f32x16 a3_0_1 = splat_f32x16(0x0p+0f);
      f32x16 a3_1_0 = splat_f32x16(0x0p+0f);
      f32x16 a3_1_1 = splat_f32x16(0x0p+0f);
      f32x16 a3_2_0 = splat_f32x16(0x0p+0f);
      f32x16 a3_2_1 = splat_f32x16(0x0p+0f);
      f32x16 a3_3_0 = splat_f32x16(0x0p+0f);
      f32x16 a3_3_1 = splat_f32x16(0x0p+0f);
      for (long k0 = 0; k0 < 64; ++k0) {
        const float v0_0 = p0_0[k0];                            // input
        const f32x16 s0_0 = splat_f32x16(v0_0);
        const float v0_1 = p0_1[k0];                            // input
        const f32x16 s0_1 = splat_f32x16(v0_1);
        const float v0_2 = p0_2[k0];                            // input
        const f32x16 s0_2 = splat_f32x16(v0_2);
        const float v0_3 = p0_3[k0];                            // input
        const f32x16 s0_3 = splat_f32x16(v0_3);
        const f32x16 v1_0 = load_f32x16(p1_0 + (128*k0));       // input
        const f32x16 v1_1 = load_f32x16(p1_1 + (128*k0));       // input
        const f32x16 v2_0_0 = s0_0 * v1_0;                      // mul
        const f32x16 v2_0_1 = s0_0 * v1_1;                      // mul
        const f32x16 v2_1_0 = s0_1 * v1_0;                      // mul
        const f32x16 v2_1_1 = s0_1 * v1_1;                      // mul
        const f32x16 v2_2_0 = s0_2 * v1_0;                      // mul
        const f32x16 v2_2_1 = s0_2 * v1_1;                      // mul
        const f32x16 v2_3_0 = s0_3 * v1_0;                      // mul
        const f32x16 v2_3_1 = s0_3 * v1_1;                      // mul
        a3_0_0 = a3_0_0 + v2_0_0;                               // sum
        a3_0_1 = a3_0_1 + v2_0_1;                               // sum
        a3_1_0 = a3_1_0 + v2_1_0;                               // sum
        a3_1_1 = a3_1_1 + v2_1_1;                               // sum
        a3_2_0 = a3_2_0 + v2_2_0;                               // sum
        a3_2_1 = a3_2_1 + v2_2_1;                               // sum
        a3_3_0 = a3_3_0 + v2_3_0;                               // sum
        a3_3_1 = a3_3_1 + v2_3_1;                               // sum
      }
      const f32x16 v3_0_0 = a3_0_0;                             // sum
      const f32x16 v3_0_1 = a3_0_1;                             // sum
      const f32x16 v3_1_0 = a3_1_0;                             // sum
      const f32x16 v3_1_1 = a3_1_1;                             // sum
      const f32x16 v3_2_0 = a3_2_0;                             // sum
      const f32x16 v3_2_1 = a3_2_1;                             // sum
      const f32x16 v3_3_0 = a3_3_0;                             // sum
      const f32x16 v3_3_1 = a3_3_1;                             // sum
      const f32x16 v4_0 = load_f32x16(in2 + i1);                // input
      const f32x16 v4_1 = load_f32x16(in2 + (i1 + 16));         // input
      const f32x16 v5_0_0 = v3_0_0 + v4_0;                      // add
      const f32x16 v5_0_1 = v3_0_1 + v4_1;                      // add
      const f32x16 v5_1_0 = v3_1_0 + v4_0;                      // add
      const f32x16 v5_1_1 = v3_1_1 + v4_1;                      // add
      const f32x16 v5_2_0 = v3_2_0 + v4_0;                      // add
      const f32x16 v5_2_1 = v3_2_1 + v4_1;                      // add
      const f32x16 v5_3_0 = v3_3_0 + v4_0;                      // add
      const f32x16 v5_3_1 = v3_3_1 + v4_1;                      // add
      const f32x16 v6_0_0 = call_tanh_f32x16(v5_0_0);           // tanh
      const f32x16 v6_0_1 = call_tanh_f32x16(v5_0_1);           // tanh
      const f32x16 v6_1_0 = call_tanh_f32x16(v5_1_0);           // tanh
      const f32x16 v6_1_1 = call_tanh_f32x16(v5_1_1);           // tanh
      const f32x16 v6_2_0 = call_tanh_f32x16(v5_2_0);           // tanh
      const f32x16 v6_2_1 = call_tanh_f32x16(v5_2_1);           // tanh
      const f32x16 v6_3_0 = call_tanh_f32x16(v5_3_0);           // tanh
      const f32x16 v6_3_1 = call_tanh_f32x16(v5_3_1);           // tanh
      store_f32x16(p7_0 + i1, v6_0_0);
      store_f32x16(p7_0 + (i1 + 16), v6_0_1);
      store_f32x16(p7_1 + i1, v6_1_0);
      store_f32x16(p7_1 + (i1 + 16), v6_1_1);
      store_f32x16(p7_2 + i1, v6_2_0);
      store_f32x16(p7_2 + (i1 + 16), v6_2_1);
      store_f32x16(p7_3 + i1, v6_3_0);
      store_f32x16(p7_3 + (i1 + 16), v6_3_1);
    }
  }
}
