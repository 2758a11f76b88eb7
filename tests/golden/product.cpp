#pragma GCC diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))

typedef float f32x16 __attribute__((vector_size(64)));
INLINE f32x16 load_f32x16(const void* p) {
  f32x16 v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
INLINE void store_f32x16(void* p, f32x16 v) { __builtin_memcpy(p, &v, sizeof(v)); }
INLINE f32x16 load_part_f32x16(long lanes, const void* p) {
  f32x16 v = {};
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  typedef f32x16 Memory __attribute__((may_alias, aligned(1)));
  const unsigned long live = (1ul << lanes) - 1;
  __asm__("vmovdqu32 %1, %0%{%2%}%{z%}" : "=v"(v) : "m"(*(const Memory*)p), "Yk"(live));
#else
  __builtin_memcpy(&v, p, lanes * sizeof(v[0]));
#endif
  return v;
}
INLINE void store_part_f32x16(long lanes, void* p, f32x16 v) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  typedef f32x16 Memory __attribute__((may_alias, aligned(1)));
  const unsigned long live = (1ul << lanes) - 1;
  __asm__("vmovdqu32 %1, %0%{%2%}" : "+m"(*(Memory*)p) : "v"(v), "Yk"(live));
#else
  __builtin_memcpy(p, &v, lanes * sizeof(v[0]));
#endif
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
// What one of the threads does of a product: of its batches if there are enough of
// them, else of its longer side.
struct Part {
  long batch = 0, batches, row = 0, rows, column = 0, columns;
  Part(long all, long height, long high, long width, long wide, long thread, long threads)
      : batches(all), rows(height), columns(width) {
    const bool by_rows = (height + high - 1) / high > (width + wide - 1) / wide;
    long &first = all >= threads ? batch : by_rows ? row : column;
    long &last = all >= threads ? batches : by_rows ? rows : columns;
    const long extent = last, step = all >= threads ? 1 : by_rows ? high : wide;
    first = share(extent, step, thread, threads);
    last = share(extent, step, thread + 1, threads);
  }
};
INLINE long least(long a, long b) { return a < b ? a : b; }
INLINE f32x16 splat_f32x16(float v) { return v - (f32x16){}; }
static __attribute__((noinline)) void multiply_6x4_f32x16(float* sums, long pitch,
    const float* left, long row, long step, long height, const float* right, long width,
    long depth, bool more) {
  const float* const a0 = left;
  float* const s0 = sums;
  const float* const a1 = a0 + (height > 1 ? row : 0);
  float* const s1 = sums + 1 * pitch;
  const float* const a2 = a1 + (height > 2 ? row : 0);
  float* const s2 = sums + 2 * pitch;
  const float* const a3 = a2 + (height > 3 ? row : 0);
  float* const s3 = sums + 3 * pitch;
  const float* const a4 = a3 + (height > 4 ? row : 0);
  float* const s4 = sums + 4 * pitch;
  const float* const a5 = a4 + (height > 5 ? row : 0);
  float* const s5 = sums + 5 * pitch;
  f32x16 c0_0 = {}, c0_1 = {}, c0_2 = {}, c0_3 = {};
  f32x16 c1_0 = {}, c1_1 = {}, c1_2 = {}, c1_3 = {};
  f32x16 c2_0 = {}, c2_1 = {}, c2_2 = {}, c2_3 = {};
  f32x16 c3_0 = {}, c3_1 = {}, c3_2 = {}, c3_3 = {};
  f32x16 c4_0 = {}, c4_1 = {}, c4_2 = {}, c4_3 = {};
  f32x16 c5_0 = {}, c5_1 = {}, c5_2 = {}, c5_3 = {};
  if (more) {
    c0_0 = load_f32x16(s0), c0_1 = load_f32x16(s0 + 16), c0_2 = load_f32x16(s0 + 32), c0_3 =
        load_f32x16(s0 + 48);
    c1_0 = load_f32x16(s1), c1_1 = load_f32x16(s1 + 16), c1_2 = load_f32x16(s1 + 32), c1_3 =
        load_f32x16(s1 + 48);
    c2_0 = load_f32x16(s2), c2_1 = load_f32x16(s2 + 16), c2_2 = load_f32x16(s2 + 32), c2_3 =
        load_f32x16(s2 + 48);
    c3_0 = load_f32x16(s3), c3_1 = load_f32x16(s3 + 16), c3_2 = load_f32x16(s3 + 32), c3_3 =
        load_f32x16(s3 + 48);
    c4_0 = load_f32x16(s4), c4_1 = load_f32x16(s4 + 16), c4_2 = load_f32x16(s4 + 32), c4_3 =
        load_f32x16(s4 + 48);
    c5_0 = load_f32x16(s5), c5_1 = load_f32x16(s5 + 16), c5_2 = load_f32x16(s5 + 32), c5_3 =
        load_f32x16(s5 + 48);
  }
  const long next = 6 * row;
  for (long k = 0; depth > 0;) {
    __builtin_prefetch(a0 + k + next);
    __builtin_prefetch(a1 + k + next);
    __builtin_prefetch(a2 + k + next);
    __builtin_prefetch(a3 + k + next);
    __builtin_prefetch(a4 + k + next);
    __builtin_prefetch(a5 + k + next);
    const long end = depth > 16 ? depth - 16 : 0;
    for (; depth > end; --depth, k += step, right += width) {
      const f32x16 b0 = load_f32x16(right), b1 = load_f32x16(right + 16), b2 = load_f32x16(right
          + 32), b3 = load_f32x16(right + 48);
      const f32x16 x0 = splat_f32x16(a0[k]);
      c0_0 = c0_0 + x0 * b0, c0_1 = c0_1 + x0 * b1, c0_2 = c0_2 + x0 * b2, c0_3 = c0_3 + x0 * b3;
      const f32x16 x1 = splat_f32x16(a1[k]);
      c1_0 = c1_0 + x1 * b0, c1_1 = c1_1 + x1 * b1, c1_2 = c1_2 + x1 * b2, c1_3 = c1_3 + x1 * b3;
      const f32x16 x2 = splat_f32x16(a2[k]);
      c2_0 = c2_0 + x2 * b0, c2_1 = c2_1 + x2 * b1, c2_2 = c2_2 + x2 * b2, c2_3 = c2_3 + x2 * b3;
      const f32x16 x3 = splat_f32x16(a3[k]);
      c3_0 = c3_0 + x3 * b0, c3_1 = c3_1 + x3 * b1, c3_2 = c3_2 + x3 * b2, c3_3 = c3_3 + x3 * b3;
      const f32x16 x4 = splat_f32x16(a4[k]);
      c4_0 = c4_0 + x4 * b0, c4_1 = c4_1 + x4 * b1, c4_2 = c4_2 + x4 * b2, c4_3 = c4_3 + x4 * b3;
      const f32x16 x5 = splat_f32x16(a5[k]);
      c5_0 = c5_0 + x5 * b0, c5_1 = c5_1 + x5 * b1, c5_2 = c5_2 + x5 * b2, c5_3 = c5_3 + x5 * b3;
    }
  }
  store_f32x16(s0, c0_0), store_f32x16(s0 + 16, c0_1), store_f32x16(s0 + 32, c0_2), store_f32x16(s0
      + 48, c0_3);
  store_f32x16(s1, c1_0), store_f32x16(s1 + 16, c1_1), store_f32x16(s1 + 32, c1_2), store_f32x16(s1
      + 48, c1_3);
  store_f32x16(s2, c2_0), store_f32x16(s2 + 16, c2_1), store_f32x16(s2 + 32, c2_2), store_f32x16(s2
      + 48, c2_3);
  store_f32x16(s3, c3_0), store_f32x16(s3 + 16, c3_1), store_f32x16(s3 + 32, c3_2), store_f32x16(s3
      + 48, c3_3);
  store_f32x16(s4, c4_0), store_f32x16(s4 + 16, c4_1), store_f32x16(s4 + 32, c4_2), store_f32x16(s4
      + 48, c4_3);
  store_f32x16(s5, c5_0), store_f32x16(s5 + 16, c5_1), store_f32x16(s5 + 32, c5_2), store_f32x16(s5
      + 48, c5_3);
}
static __attribute__((noinline)) void multiply_4x4_f32x16(float* sums, long pitch,
    const float* left, long row, long step, long height, const float* right, long width,
    long depth, bool more) {
  const float* const a0 = left;
  float* const s0 = sums;
  const float* const a1 = a0 + (height > 1 ? row : 0);
  float* const s1 = sums + 1 * pitch;
  const float* const a2 = a1 + (height > 2 ? row : 0);
  float* const s2 = sums + 2 * pitch;
  const float* const a3 = a2 + (height > 3 ? row : 0);
  float* const s3 = sums + 3 * pitch;
  f32x16 c0_0 = {}, c0_1 = {}, c0_2 = {}, c0_3 = {};
  f32x16 c1_0 = {}, c1_1 = {}, c1_2 = {}, c1_3 = {};
  f32x16 c2_0 = {}, c2_1 = {}, c2_2 = {}, c2_3 = {};
  f32x16 c3_0 = {}, c3_1 = {}, c3_2 = {}, c3_3 = {};
  if (more) {
    c0_0 = load_f32x16(s0), c0_1 = load_f32x16(s0 + 16), c0_2 = load_f32x16(s0 + 32), c0_3 =
        load_f32x16(s0 + 48);
    c1_0 = load_f32x16(s1), c1_1 = load_f32x16(s1 + 16), c1_2 = load_f32x16(s1 + 32), c1_3 =
        load_f32x16(s1 + 48);
    c2_0 = load_f32x16(s2), c2_1 = load_f32x16(s2 + 16), c2_2 = load_f32x16(s2 + 32), c2_3 =
        load_f32x16(s2 + 48);
    c3_0 = load_f32x16(s3), c3_1 = load_f32x16(s3 + 16), c3_2 = load_f32x16(s3 + 32), c3_3 =
        load_f32x16(s3 + 48);
  }
  const long next = 4 * row;
  for (long k = 0; depth > 0;) {
    __builtin_prefetch(a0 + k + next);
    __builtin_prefetch(a1 + k + next);
    __builtin_prefetch(a2 + k + next);
    __builtin_prefetch(a3 + k + next);
    const long end = depth > 16 ? depth - 16 : 0;
    for (; depth > end; --depth, k += step, right += width) {
      const f32x16 b0 = load_f32x16(right), b1 = load_f32x16(right + 16), b2 = load_f32x16(right
          + 32), b3 = load_f32x16(right + 48);
      const f32x16 x0 = splat_f32x16(a0[k]);
      c0_0 = c0_0 + x0 * b0, c0_1 = c0_1 + x0 * b1, c0_2 = c0_2 + x0 * b2, c0_3 = c0_3 + x0 * b3;
      const f32x16 x1 = splat_f32x16(a1[k]);
      c1_0 = c1_0 + x1 * b0, c1_1 = c1_1 + x1 * b1, c1_2 = c1_2 + x1 * b2, c1_3 = c1_3 + x1 * b3;
      const f32x16 x2 = splat_f32x16(a2[k]);
      c2_0 = c2_0 + x2 * b0, c2_1 = c2_1 + x2 * b1, c2_2 = c2_2 + x2 * b2, c2_3 = c2_3 + x2 * b3;
      const f32x16 x3 = splat_f32x16(a3[k]);
      c3_0 = c3_0 + x3 * b0, c3_1 = c3_1 + x3 * b1, c3_2 = c3_2 + x3 * b2, c3_3 = c3_3 + x3 * b3;
    }
  }
  store_f32x16(s0, c0_0), store_f32x16(s0 + 16, c0_1), store_f32x16(s0 + 32, c0_2), store_f32x16(s0
      + 48, c0_3);
  store_f32x16(s1, c1_0), store_f32x16(s1 + 16, c1_1), store_f32x16(s1 + 32, c1_2), store_f32x16(s1
      + 48, c1_3);
  store_f32x16(s2, c2_0), store_f32x16(s2 + 16, c2_1), store_f32x16(s2 + 32, c2_2), store_f32x16(s2
      + 48, c2_3);
  store_f32x16(s3, c3_0), store_f32x16(s3 + 16, c3_1), store_f32x16(s3 + 32, c3_2), store_f32x16(s3
      + 48, c3_3);
}
static __attribute__((noinline)) void product_ec206d5d_right(void* const* buffers,
    const long* sizes, float* out4, long n0, long last1) {
  const float* const in1 = (const float*)buffers[1];
  for (long i0 = 0; i0 < 64; ++i0) {
    const float* const p0 = in1 + (128*i0);
    float* const p1 = out4 + (64*i0 - n0);
    long i1 = n0;
    for (; i1 + 16 <= last1; i1 += 16) {
      const f32x16 v0 = load_f32x16(p0 + i1);                   // input
      store_f32x16(p1 + i1, v0);
    }
    if (i1 < last1) {
      const long lanes = last1 - i1;
      const f32x16 v0 = load_part_f32x16(lanes, p0 + i1);       // input
      store_part_f32x16(lanes, p1 + i1, v0);
    }
  }
}
static __attribute__((noinline)) void product_ec206d5d_finish(void* const* buffers,
    const long* sizes, const float* in4, long n0, long last0, long n1, long last1) {
  const float* const in2 = (const float*)buffers[2];
  float* const out3 = (float*)buffers[3];
  for (long i0 = n0; i0 < last0; ++i0) {
    const float* const p0 = in4 + (64*i0 - 64*n0 - n1);
    float* const p4 = out3 + (128*i0);
    long i1 = n1;
    for (; i1 + 16 <= last1; i1 += 16) {
      const f32x16 v0 = load_f32x16(p0 + i1);                   // sum
      const f32x16 v1 = load_f32x16(in2 + i1);                  // input
      const f32x16 v2 = v0 + v1;                                // add
      const f32x16 v3 = tanh_f32x16(v2);                        // tanh
      store_f32x16(p4 + i1, v3);
    }
    if (i1 < last1) {
      const long lanes = last1 - i1;
      const f32x16 v0 = load_part_f32x16(lanes, p0 + i1);       // sum
      const f32x16 v1 = load_part_f32x16(lanes, in2 + i1);      // input
      const f32x16 v2 = v0 + v1;                                // add
      const f32x16 v3 = tanh_f32x16(v2);                        // tanh
      store_part_f32x16(lanes, p4 + i1, v3);
    }
  }
}
extern "C" void product_ec206d5d(void* const* buffers, const long* sizes, Context* context,
    long thread, long threads) {
  const float* const in0 = (const float*)buffers[0];            // input
  const Part part(1, 64, 6, 128, 64, thread, threads);
  alignas(64) float panel[4096];
  alignas(64) float sums[384];
  for (long b = part.batch; b < part.batches; ++b) {
    for (long c = part.column; c < part.columns; c += 64) {
      const long width = least(part.columns - c, 64);
      product_ec206d5d_right(buffers, sizes, panel, c, c + width); // input
      for (long r = part.row; r < part.rows; r += 6) {
        const long height = least(part.rows - r, 6);
        const auto multiply = height > 4 ? multiply_6x4_f32x16 : multiply_4x4_f32x16;
        multiply(sums, 64, in0 + r * (64), 64, 1, height, panel, 64, 64, false); // sum
        product_ec206d5d_finish(buffers, sizes, sums, r, r + height, c, c + width);
      }
    }
  }
}
