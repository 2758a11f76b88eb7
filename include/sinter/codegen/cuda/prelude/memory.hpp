#pragma once
// CUDA helpers: fault reports, loads and stores, conversions, atomics and random bits.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::string_view cuda_opening =
    R"(#define INLINE static __device__ __forceinline__
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000)
#define __builtin_inff() __int_as_float(0x7f800000)
#define __builtin_nan(text) __longlong_as_double(0x7ff8000000000000)
#define __builtin_nanf(text) __int_as_float(0x7fc00000)

)";

inline constexpr std::array<Helper, 25> cuda_memory_helpers{{
    {"Context", "", Lanes::any,
     R"(// What a kernel reports: 1 + the number of the check that failed, what was found, the bound
// of indices, the position of the element; a lock.
struct Context {
  long fault, value, bound, position, lock;
};)"},
    {"report", "", Lanes::any,
     R"(// Keeps the fault of the first check, and of that check the one with the lowest position.
static __device__ __noinline__ void report(Context* all, long check, long position, long value,
                                           long bound) {
  volatile Context* context = all;
  for (bool done = false; !done;) {
    if (atomicExch((unsigned long long*)&all->lock, 1ull) != 0) continue;
    __threadfence();
    const long fault = context->fault;
    if (fault == 0 || check < fault || (check == fault && position < context->position)) {
      context->fault = check;
      context->position = position;
      context->value = value;
      context->bound = bound;
    }
    __threadfence();
    atomicExch((unsigned long long*)&all->lock, 0ull);
    done = true;
  }
})"},
    {"Scratch", "", Lanes::any,
     R"(// Heap memory for the local rows of a thread.
struct Scratch {
  __device__ explicit Scratch(long bytes) : heap(malloc(bytes)) {}
  __device__ ~Scratch() { free(heap); }
  void* heap;
};)"},
    {"bind", "i64", Lanes::one,
     R"(INLINE long bind_i64(Context* context, long check, long position, long v, long bound) {
  const long index = v < 0 ? v + bound : v;
  if (index >= 0 && index < bound) return index;
  report(context, check, position, v, bound);
  return 0;
})"},
    {"nonzero", "u8 i8 i16 i32 i64", Lanes::one,
     R"(INLINE $E nonzero_$S($E v) { return v == 0 ? 1 : v; })"},
    {"load", "bool u8 i8 i16 u16 i32 i64 f32 f64", Lanes::vector,
     R"(INLINE $T load_$S(const $E* p) {
  if ((unsigned long)p % sizeof($T) == 0) return *(const $T*)p;
  $T v;
  for (int i = 0; i < $N; ++i) v.lane[i] = p[i];
  return v;
})"},
    {"store", "bool u8 i8 i16 u16 i32 i64 f32 f64", Lanes::vector,
     R"(template <class... Values>
INLINE void store_$S($E* p, Values... values) {
  const $T v = {{($E)values...}};
  if ((unsigned long)p % sizeof($T) == 0) {
    *($T*)p = v;
  } else {
    for (int i = 0; i < $N; ++i) p[i] = v.lane[i];
  }
})"},
    {"load_row", "bool u8 i8 i16 u16 i32 i64 f32 f64", Lanes::vector,
     R"(// Of the row of `end` elements at `p`, the packs from `first` on that are `stride` apart.
template <int stride, int steps, class Index>
INLINE void load_row_$S($T (&row)[steps], const $E* p, Index first, long end) {
  const Index whole = (unsigned long)p % sizeof($T) == 0 ? end / $N * $N : 0;
#pragma unroll
  for (int i = 0; i < steps; ++i) {
    const Index at = first + i * stride;
    if (at < whole) row[i] = *(const $T*)(p + at);
  }
  if (whole == end) return;
#pragma unroll
  for (int i = 0; i < steps * $N; ++i) {
    const Index at = first + i / $N * stride + i % $N;
    if (at >= whole && at < end) row[i / $N].lane[i % $N] = p[at];
  }
})"},
    {"load_row", "bool u8 i8 i16 u16 i32 i64 f32 f64", Lanes::one,
     R"(// Of the row of `end` elements at `p`, those from `first` on that are `stride` apart.
template <int stride, int steps, class Index>
INLINE void load_row_$S($E (&row)[steps], const $E* p, Index first, long end) {
#pragma unroll
  for (int i = 0; i < steps; ++i) {
    if (first + i * stride < end) row[i] = p[first + i * stride];
  }
})"},
    {"store_row", "bool u8 i8 i16 u16 i32 i64 f32 f64", Lanes::vector,
     R"(// What load_row has read, written.
template <int stride, int steps, class Index>
INLINE void store_row_$S($E* p, const $T (&row)[steps], Index first, long end) {
  const Index whole = (unsigned long)p % sizeof($T) == 0 ? end / $N * $N : 0;
#pragma unroll
  for (int i = 0; i < steps; ++i) {
    const Index at = first + i * stride;
    if (at < whole) *($T*)(p + at) = row[i];
  }
  if (whole == end) return;
#pragma unroll
  for (int i = 0; i < steps * $N; ++i) {
    const Index at = first + i / $N * stride + i % $N;
    if (at >= whole && at < end) p[at] = row[i / $N].lane[i % $N];
  }
})"},
    {"store_row", "bool u8 i8 i16 u16 i32 i64 f32 f64", Lanes::one,
     R"(template <int stride, int steps, class Index>
INLINE void store_row_$S($E* p, const $E (&row)[steps], Index first, long end) {
#pragma unroll
  for (int i = 0; i < steps; ++i) {
    if (first + i * stride < end) p[first + i * stride] = row[i];
  }
})"},
    {"f32_of", "bf16", Lanes::one,
     R"(INLINE float f32_of_bf16(unsigned short v) {
  return __uint_as_float((unsigned)v << 16);
})"},
    {"bf16_of", "f32", Lanes::one,
     R"(INLINE unsigned short bf16_of_f32(float v) {
  const unsigned bits = __float_as_uint(v), rounded = bits + 0x7fff + (bits >> 16 & 1);
  return (unsigned short)(((bits & 0x7fffffff) > 0x7f800000 ? bits | 0x400000 : rounded) >> 16);
})"},
    {"f32_of", "f16", Lanes::one,
     R"(INLINE float f32_of_f16(unsigned short v) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(v));
  return r;
})"},
    {"f16_of", "f32", Lanes::one,
     R"(INLINE unsigned short f16_of_f32(float v) {
  unsigned short r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(v));
  return r;
})"},
    {"round", "f16", Lanes::one,
     R"(INLINE float round_f16(float v) { return f32_of_f16(f16_of_f32(v)); })"},
    {"round", "bf16", Lanes::one,
     R"(INLINE float round_bf16(float v) { return f32_of_bf16(bf16_of_f32(v)); })"},
    {"atomic_add", "i32 f32 f64", Lanes::one,
     R"(// Threads may add to one element, in any order.
INLINE void atomic_add_$S($E* p, $E v) { atomicAdd(p, v); })"},
    {"atomic_add", "i64", Lanes::one,
     R"(INLINE void atomic_add_i64(long* p, long v) {
  atomicAdd((unsigned long long*)p, (unsigned long long)v);
})"},
    {"atomic_add", "i16", Lanes::one,
     R"(INLINE void atomic_add_i16(short* p, short v) {
  unsigned short was = 0, expected;
  do {
    expected = was;
    was = atomicCAS((unsigned short*)p, expected, (unsigned short)(expected + v));
  } while (was != expected);
})"},
    {"atomic_add", "f16 bf16", Lanes::one,
     R"(INLINE void atomic_add_$S(unsigned short* p, float v) {
  unsigned short was = 0, expected;
  do {
    expected = was;
    was = atomicCAS(p, expected, $S_of_f32(f32_of_$S(expected) + v));
  } while (was != expected);
})"},
    {"product", "f32", Lanes::one,
     R"(// Rounds a product: prevents contraction to a fused multiply-add.
INLINE float product_f32(float v) {
  asm("" : "+f"(v));
  return v;
})"},
    {"product", "f64", Lanes::one,
     R"(INLINE double product_f64(double v) {
  asm("" : "+d"(v));
  return v;
})"},
    {"argmax", "u8 i8 i16 i32 i64 f32 f64 bool", Lanes::one,
     R"(INLINE void argmax_$S($E& best, long& where, $E v, long index) {
  if (v > best || (v != v && best == best)) best = v, where = index;
})"},
    {"random", "i32", Lanes::one,
     R"(// Word `position % 4` of Philox4x32-10 of the group `position / 4`.
INLINE int random_i32(long seed, long offset, unsigned number, long position) {
  const unsigned long group = (unsigned long)position >> 2;
  const unsigned long draw = (unsigned long)offset + number;
  unsigned c0 = (unsigned)group, c1 = (unsigned)(group >> 32);
  unsigned c2 = (unsigned)(draw >> 32), c3 = (unsigned)draw;
  unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned even = __umulhi(c0, 0xD2511F53u), odd = __umulhi(c2, 0xCD9E8D57u);
    const unsigned even_low = c0 * 0xD2511F53u, odd_low = c2 * 0xCD9E8D57u;
    c0 = odd ^ c1 ^ k0;
    c1 = odd_low;
    c2 = even ^ c3 ^ k1;
    c3 = even_low;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  const int word = position & 3;
  return (int)(word == 0 ? c0 : word == 1 ? c1 : word == 2 ? c2 : c3);
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
