#pragma GCC diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))

typedef float f32x16 __attribute__((vector_size(64)));
INLINE f32x16 load_f32x16(const void* p) {
  f32x16 v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
}
INLINE void store_f32x16(void* p, f32x16 v) { __builtin_memcpy(p, &v, sizeof(v)); }
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
typedef unsigned int u32x16 __attribute__((vector_size(64)));
INLINE f32x16 abs_f32x16(f32x16 v) {
  return __builtin_bit_cast(f32x16, __builtin_bit_cast(u32x16, v) & (~(u32x16){} >> 1));
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
// `size`, which is not negative, with the sign of `of`.
INLINE f32x16 with_sign_f32x16(f32x16 size, f32x16 of) {
  const u32x16 sign = __builtin_bit_cast(u32x16, of) & ~(~(u32x16){} >> 1);
  return __builtin_bit_cast(f32x16, __builtin_bit_cast(u32x16, size) | sign);
}
// (e^2|x| - 1) / (e^2|x| + 1), which is 1 from 9.1 on: a quotient, and what it lacks.
INLINE f32x16 tanh_f32x16(f32x16 x) {
  const f32x16 size = abs_f32x16(x), inside = at_most_f32x16(size + size, 18.2f - (f32x16){});
  const f32x16 n = (inside * 0x1.715476p+0f + 0x1.8p+23f) - 0x1.8p+23f, power =
      scale_f32x16(1 - (f32x16){}, n);
  const f32x16 r = (inside - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f, rr = r * r;
  const f32x16 a = 0x1.555556p-3f * r + 0x1p-1f, b = 0x1.11109p-7f * r + 0x1.5554aep-5f;
  const f32x16 c = 0x1.a1a18cp-13f * r + 0x1.6d74acp-10f;
  const f32x16 up = power * (r + rr * ((c * rr + b) * rr + a)) + (power - 1);
  const f32x16 down = up + 2, lost = up - (down - 2), inverse = 1 / down, quotient = up * inverse;
  const f32x16 rest = fma_f32x16(-quotient, down, up) - quotient * lost;
  return with_sign_f32x16(quotient + rest * inverse, x);
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
// What one of the threads does of a product: a range of its batches, rows and columns, such
// that the thread with the most to do, packing included, is done first.
struct Part {
  struct Side {
    long extent, step = 1, packing = 0;  // of an element of it, in multiply-adds
    long most(long parts) const {
      const long part = (extent + step * parts - 1) / (step * parts) * step;
      return part < extent ? part : extent;
    }
  };
  long batch = 0, batches, row = 0, rows, column = 0, columns;
  Part(Side all, Side high, Side wide, long thread, long threads)
      : batches(all.extent), rows(high.extent), columns(wide.extent) {
    if (threads == 1) return;
    long lowest = -1, down = 1, across = 1;  // parts of the rows and of the columns
    for (long c = 1; c <= threads; ++c) {
      if (threads % c != 0) continue;
      for (long r = 1; c * r <= threads; ++r) {
        if (threads / c % r != 0) continue;
        const long tall = high.most(r), broad = wide.most(c);
        const long packing = tall * high.packing + broad * wide.packing;
        const long cost = all.most(threads / (c * r)) * (tall * broad + packing);
        if (lowest < 0 || cost < lowest) lowest = cost, down = r, across = c;
      }
    }
    const long i = thread % across, j = thread / across % down, k = thread / across / down;
    const long parts = threads / across / down;
    batch = share(all.extent, all.step, k, parts);
    batches = share(all.extent, all.step, k + 1, parts);
    row = share(high.extent, high.step, j, down);
    rows = share(high.extent, high.step, j + 1, down);
    column = share(wide.extent, wide.step, i, across);
    columns = share(wide.extent, wide.step, i + 1, across);
  }
};
INLINE long least(long a, long b) { return a < b ? a : b; }
// Moves `bytes` bytes of each of some rows, which will be written, into the second cache.
INLINE void prefetch_rows_to_write(const void* p, long rows, long stride, long bytes) {
  for (const char* row = (const char*)p; rows-- > 0; row += stride) {
    for (long i = 0; i < bytes; i += 64) __builtin_prefetch(row + i, 1, 2);
  }
}
INLINE f32x16 splat_f32x16(float v) { return v - (f32x16){}; }
// sum + a * b, rounded once, in the register of `sum`: g++ itself moves sums to memory.
INLINE f32x16 add_product_f32x16(f32x16 sum, f32x16 a, f32x16 b) {
#if defined(__FMA__) && (16 * 32 <= 256 || defined(__AVX512F__))
  if (32 == 32) __asm__("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  if (32 == 64) __asm__("vfmadd231pd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  return sum;
#else
  return sum + a * b;
#endif
}
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
    for (; depth >= end + 4; depth -= 4, k += 4 * step, right += 4 * width) {
#pragma GCC unroll 4
      for (long i = 0; i < 4; ++i) {
        const f32x16 b0 = load_f32x16(right + i * width), b1 = load_f32x16(right + i * width + 16),
            b2 = load_f32x16(right + i * width + 32), b3 = load_f32x16(right + i * width + 48);
        const f32x16 x0 = splat_f32x16(a0[k + i * step]);
        c0_0 = add_product_f32x16(c0_0, x0, b0), c0_1 = add_product_f32x16(c0_1, x0, b1), c0_2 =
            add_product_f32x16(c0_2, x0, b2), c0_3 = add_product_f32x16(c0_3, x0, b3);
        const f32x16 x1 = splat_f32x16(a1[k + i * step]);
        c1_0 = add_product_f32x16(c1_0, x1, b0), c1_1 = add_product_f32x16(c1_1, x1, b1), c1_2 =
            add_product_f32x16(c1_2, x1, b2), c1_3 = add_product_f32x16(c1_3, x1, b3);
        const f32x16 x2 = splat_f32x16(a2[k + i * step]);
        c2_0 = add_product_f32x16(c2_0, x2, b0), c2_1 = add_product_f32x16(c2_1, x2, b1), c2_2 =
            add_product_f32x16(c2_2, x2, b2), c2_3 = add_product_f32x16(c2_3, x2, b3);
        const f32x16 x3 = splat_f32x16(a3[k + i * step]);
        c3_0 = add_product_f32x16(c3_0, x3, b0), c3_1 = add_product_f32x16(c3_1, x3, b1), c3_2 =
            add_product_f32x16(c3_2, x3, b2), c3_3 = add_product_f32x16(c3_3, x3, b3);
        const f32x16 x4 = splat_f32x16(a4[k + i * step]);
        c4_0 = add_product_f32x16(c4_0, x4, b0), c4_1 = add_product_f32x16(c4_1, x4, b1), c4_2 =
            add_product_f32x16(c4_2, x4, b2), c4_3 = add_product_f32x16(c4_3, x4, b3);
        const f32x16 x5 = splat_f32x16(a5[k + i * step]);
        c5_0 = add_product_f32x16(c5_0, x5, b0), c5_1 = add_product_f32x16(c5_1, x5, b1), c5_2 =
            add_product_f32x16(c5_2, x5, b2), c5_3 = add_product_f32x16(c5_3, x5, b3);
      }
    }
    for (; depth > end; --depth, k += step, right += width) {
      const f32x16 b0 = load_f32x16(right), b1 = load_f32x16(right + 16), b2 = load_f32x16(right
          + 32), b3 = load_f32x16(right + 48);
      const f32x16 x0 = splat_f32x16(a0[k]);
      c0_0 = add_product_f32x16(c0_0, x0, b0), c0_1 = add_product_f32x16(c0_1, x0, b1), c0_2 =
          add_product_f32x16(c0_2, x0, b2), c0_3 = add_product_f32x16(c0_3, x0, b3);
      const f32x16 x1 = splat_f32x16(a1[k]);
      c1_0 = add_product_f32x16(c1_0, x1, b0), c1_1 = add_product_f32x16(c1_1, x1, b1), c1_2 =
          add_product_f32x16(c1_2, x1, b2), c1_3 = add_product_f32x16(c1_3, x1, b3);
      const f32x16 x2 = splat_f32x16(a2[k]);
      c2_0 = add_product_f32x16(c2_0, x2, b0), c2_1 = add_product_f32x16(c2_1, x2, b1), c2_2 =
          add_product_f32x16(c2_2, x2, b2), c2_3 = add_product_f32x16(c2_3, x2, b3);
      const f32x16 x3 = splat_f32x16(a3[k]);
      c3_0 = add_product_f32x16(c3_0, x3, b0), c3_1 = add_product_f32x16(c3_1, x3, b1), c3_2 =
          add_product_f32x16(c3_2, x3, b2), c3_3 = add_product_f32x16(c3_3, x3, b3);
      const f32x16 x4 = splat_f32x16(a4[k]);
      c4_0 = add_product_f32x16(c4_0, x4, b0), c4_1 = add_product_f32x16(c4_1, x4, b1), c4_2 =
          add_product_f32x16(c4_2, x4, b2), c4_3 = add_product_f32x16(c4_3, x4, b3);
      const f32x16 x5 = splat_f32x16(a5[k]);
      c5_0 = add_product_f32x16(c5_0, x5, b0), c5_1 = add_product_f32x16(c5_1, x5, b1), c5_2 =
          add_product_f32x16(c5_2, x5, b2), c5_3 = add_product_f32x16(c5_3, x5, b3);
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
    for (; depth >= end + 4; depth -= 4, k += 4 * step, right += 4 * width) {
#pragma GCC unroll 4
      for (long i = 0; i < 4; ++i) {
        const f32x16 b0 = load_f32x16(right + i * width), b1 = load_f32x16(right + i * width + 16),
            b2 = load_f32x16(right + i * width + 32), b3 = load_f32x16(right + i * width + 48);
        const f32x16 x0 = splat_f32x16(a0[k + i * step]);
        c0_0 = add_product_f32x16(c0_0, x0, b0), c0_1 = add_product_f32x16(c0_1, x0, b1), c0_2 =
            add_product_f32x16(c0_2, x0, b2), c0_3 = add_product_f32x16(c0_3, x0, b3);
        const f32x16 x1 = splat_f32x16(a1[k + i * step]);
        c1_0 = add_product_f32x16(c1_0, x1, b0), c1_1 = add_product_f32x16(c1_1, x1, b1), c1_2 =
            add_product_f32x16(c1_2, x1, b2), c1_3 = add_product_f32x16(c1_3, x1, b3);
        const f32x16 x2 = splat_f32x16(a2[k + i * step]);
        c2_0 = add_product_f32x16(c2_0, x2, b0), c2_1 = add_product_f32x16(c2_1, x2, b1), c2_2 =
            add_product_f32x16(c2_2, x2, b2), c2_3 = add_product_f32x16(c2_3, x2, b3);
        const f32x16 x3 = splat_f32x16(a3[k + i * step]);
        c3_0 = add_product_f32x16(c3_0, x3, b0), c3_1 = add_product_f32x16(c3_1, x3, b1), c3_2 =
            add_product_f32x16(c3_2, x3, b2), c3_3 = add_product_f32x16(c3_3, x3, b3);
      }
    }
    for (; depth > end; --depth, k += step, right += width) {
      const f32x16 b0 = load_f32x16(right), b1 = load_f32x16(right + 16), b2 = load_f32x16(right
          + 32), b3 = load_f32x16(right + 48);
      const f32x16 x0 = splat_f32x16(a0[k]);
      c0_0 = add_product_f32x16(c0_0, x0, b0), c0_1 = add_product_f32x16(c0_1, x0, b1), c0_2 =
          add_product_f32x16(c0_2, x0, b2), c0_3 = add_product_f32x16(c0_3, x0, b3);
      const f32x16 x1 = splat_f32x16(a1[k]);
      c1_0 = add_product_f32x16(c1_0, x1, b0), c1_1 = add_product_f32x16(c1_1, x1, b1), c1_2 =
          add_product_f32x16(c1_2, x1, b2), c1_3 = add_product_f32x16(c1_3, x1, b3);
      const f32x16 x2 = splat_f32x16(a2[k]);
      c2_0 = add_product_f32x16(c2_0, x2, b0), c2_1 = add_product_f32x16(c2_1, x2, b1), c2_2 =
          add_product_f32x16(c2_2, x2, b2), c2_3 = add_product_f32x16(c2_3, x2, b3);
      const f32x16 x3 = splat_f32x16(a3[k]);
      c3_0 = add_product_f32x16(c3_0, x3, b0), c3_1 = add_product_f32x16(c3_1, x3, b1), c3_2 =
          add_product_f32x16(c3_2, x3, b2), c3_3 = add_product_f32x16(c3_3, x3, b3);
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
static __attribute__((noinline)) void product_144bdfe0_right(void* const* buffers,
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
static __attribute__((noinline)) void product_144bdfe0_finish(void* const* buffers,
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
extern "C" void product_144bdfe0(void* const* buffers, const long* sizes, Context* context,
    long thread, long threads) {
  const float* const in0 = (const float*)buffers[0];            // input
  const Part part({1}, {64, 6, 0}, {128, 64, 48}, thread, threads);
  alignas(64) float panel[4096];
  alignas(64) float sums[384];
  for (long b = part.batch; b < part.batches; ++b) {
    for (long c = part.column; c < part.columns; c += 64) {
      const long width = least(part.columns - c, 64);
      product_144bdfe0_right(buffers, sizes, panel, c, c + width); // input
      for (long r = part.row; r < part.rows; r += 6) {
        const long height = least(part.rows - r, 6);
        prefetch_rows_to_write((const float*)buffers[3] + (128*r + c), height, 512, width * 4);
        const auto multiply = height > 4 ? multiply_6x4_f32x16 : multiply_4x4_f32x16;
        multiply(sums, 64, in0 + r * (64), 64, 1, height, panel, 64, 64, false); // sum
        product_144bdfe0_finish(buffers, sizes, sums, r, r + height, c, c + width);
      }
    }
  }
}
