#pragma once
// Helpers of generated C++ for memory, vectors and their lanes.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::string_view cpp_opening =
    R"(#pragma GCC diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))

)";

inline constexpr std::array<Helper, 49> cpp_memory_helpers{{
    {"Context", "", Lanes::any,
     R"(// What a kernel reports: 1 + the number of the check that failed, what was found, the bound
// of indices, the position of the element; a lock. How many threads have ended.
struct Context {
  long fault, value, bound, position, lock, ended;
};)"},
    {"report", "", Lanes::any,
     R"(// Keeps the fault of the first check, and of its faults that of the first element.
static __attribute__((noinline, cold)) void report(Context* context, long check, long position,
                                                   long value, long bound) {
  while (__atomic_exchange_n(&context->lock, 1, __ATOMIC_ACQUIRE)) {
  }
  const long fault = context->fault;
  if (fault == 0 || check < fault || (check == fault && position < context->position)) {
    context->fault = check;
    context->position = position;
    context->value = value;
    context->bound = bound;
  }
  __atomic_store_n(&context->lock, 0, __ATOMIC_RELEASE);
})"},
    {"share", "", Lanes::any,
     R"(// Where the part of `thread` begins, in steps.
INLINE long share(long extent, long step, long thread, long threads) {
  const long begin = (extent + step - 1) / step * thread / threads * step;
  return begin < extent ? begin : extent;
})"},
    {"Scratch", "", Lanes::any,
     R"(// Where large blocks come from: malloc(), unless whoever loads this library sets it.
struct ScratchMemory {
  void* (*take)(long bytes);
  void (*give)(void* block);
};
extern "C" __attribute__((weak)) const ScratchMemory* sinter_scratch_memory = nullptr;
// Memory of a thread: on the stack, unless it takes more than 256 KiB.
struct Scratch {
  explicit Scratch(long size)
      : bytes(size > 0 ? size : 1), heap(size > 262144 ? allocate(size + 63) : nullptr) {}
  static __attribute__((noinline)) void* allocate(long size) {
    return sinter_scratch_memory ? sinter_scratch_memory->take(size) : __builtin_malloc(size);
  }
  static __attribute__((noinline)) void free(void* block) {
    sinter_scratch_memory ? sinter_scratch_memory->give(block) : __builtin_free(block);
  }
  ~Scratch() {
    if (heap) free(heap);
  }
  void* place(void* stack) const {
    return heap ? (void*)(((long)heap + 63) & ~63L) : stack;  // no vector straddles two cache lines
  }
  const long bytes;
  void* const heap;
};)"},
    {"pack", "u8 i8 i16 u16 i32 i64 f32 f64", Lanes::one,
     R"(// Packs columns, `stride` apart, as rows of a panel, 4 by 4 at a time, 64 rows after the
// other, which stay in the L1 cache.
static __attribute__((noinline)) void pack_$S($E* panel, long step, const $E* from, long stride,
                                              long lanes, long rows) {
  for (long top = 0; top < rows; top += 64) {
    const long bottom = top + 64 < rows ? top + 64 : rows;
    for (long lane = 0; lane < lanes; lane += 4) {
      const long live = lanes - lane < 4 ? lanes - lane : 4;
      const $E *a = from + lane * stride, *b = a + (live > 1) * stride;
      const $E *c = b + (live > 2) * stride, *d = c + (live > 3) * stride;
      long row = top;
      for (; row + 4 <= bottom; row += 4) {
        const $Sx4 w = load_$Sx4(a + row), x = load_$Sx4(b + row);
        const $Sx4 y = load_$Sx4(c + row), z = load_$Sx4(d + row);
        const $Sx4 ac = __builtin_shufflevector(w, y, 0, 4, 1, 5);
        const $Sx4 bd = __builtin_shufflevector(x, z, 0, 4, 1, 5);
        const $Sx4 ac2 = __builtin_shufflevector(w, y, 2, 6, 3, 7);
        const $Sx4 bd2 = __builtin_shufflevector(x, z, 2, 6, 3, 7);
        $E* to = panel + row * step + lane;
        store_$Sx4(to, __builtin_shufflevector(ac, bd, 0, 4, 1, 5));
        store_$Sx4(to + step, __builtin_shufflevector(ac, bd, 2, 6, 3, 7));
        store_$Sx4(to + 2 * step, __builtin_shufflevector(ac2, bd2, 0, 4, 1, 5));
        store_$Sx4(to + 3 * step, __builtin_shufflevector(ac2, bd2, 2, 6, 3, 7));
      }
      for (; row < bottom; ++row) {
        $E* to = panel + row * step + lane;
        to[0] = a[row], to[1] = b[row], to[2] = c[row], to[3] = d[row];
      }
    }
  }
})"},
    {"bind", "i64", Lanes::one,
     R"(INLINE long bind_i64(Context* context, long check, long position, long v, long bound) {
  const long index = v < 0 ? v + bound : v;
  if (index >= 0 && index < bound) return index;
  report(context, check, position, v, bound);
  return 0;
})"},
    {"nonzero", "u8 i8 i16 i32 i64", Lanes::one,
     R"(INLINE $E nonzero_$S($E v) { return v == 0 ? 1 : v; })"},
    {"nonzero", "u8 i8 i16 i32 i64", Lanes::vector,
     R"(INLINE $T nonzero_$S($T v) { return v == 0 ? 1 - ($T){} : v; })"},
    {"has_zero", "u8 i8 i16 i32 i64", Lanes::vector,
     R"(INLINE bool has_zero_$S($T v) { return min_lanes_$I(v == 0) != 0; })"},
    {"splat", "u8 i8 i16 u16 i32 u32 i64 u64 f32 f64", Lanes::any,
     R"(INLINE $T splat_$S($E v) { return v - ($T){}; })"},
    {"range", "i64", Lanes::vector,
     R"(INLINE $T range_$S(long first, long step) {
  return first + step * ($T){$L};
})"},
    {"load", "u8 i8 i16 u16 i32 u32 i64 u64 f32 f64", Lanes::vector,
     R"(INLINE $T load_$S(const void* p) {
  $T v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
})"},
    {"store", "u8 i8 i16 u16 i32 u32 i64 u64 f32 f64", Lanes::vector,
     R"(INLINE void store_$S(void* p, $T v) { __builtin_memcpy(p, &v, sizeof(v)); })"},
    {"load_part", "u8 i8 i16 u16 i32 u32 i64 u64 f32 f64", Lanes::native,
     R"(INLINE $T load_part_$S(long lanes, const void* p) {
  $T v = {};
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  typedef $T Memory __attribute__((may_alias, aligned(1)));
  const unsigned long live = (1ul << lanes) - 1;
  __asm__("vmovdqu$B %1, %0%{%2%}%{z%}" : "=v"(v) : "m"(*(const Memory*)p), "Yk"(live));
#elif defined(__AVX2__) && $N * $B <= 256 && $B >= 32
  typedef $T Memory __attribute__((may_alias, aligned(1)));
  const $I live = ($I){$L} < ($J)lanes;
  if ($B == 32) __asm__("vpmaskmovd %1, %2, %0" : "=x"(v) : "m"(*(const Memory*)p), "x"(live));
  if ($B == 64) __asm__("vpmaskmovq %1, %2, %0" : "=x"(v) : "m"(*(const Memory*)p), "x"(live));
#else
  __builtin_memcpy(&v, p, lanes * sizeof(v[0]));
#endif
  return v;
})"},
    {"load_part", "u8 i8 i16 u16 i32 u32 i64 u64 f32 f64", Lanes::vector,
     R"(INLINE $T load_part_$S(long lanes, const void* p) {
  $T v = {};
  __builtin_memcpy(&v, p, lanes * sizeof(v[0]));
  return v;
})"},
    {"store_part", "u8 i8 i16 u16 i32 u32 i64 u64 f32 f64", Lanes::native,
     R"(INLINE void store_part_$S(long lanes, void* p, $T v) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  typedef $T Memory __attribute__((may_alias, aligned(1)));
  const unsigned long live = (1ul << lanes) - 1;
  __asm__("vmovdqu$B %1, %0%{%2%}" : "+m"(*(Memory*)p) : "v"(v), "Yk"(live));
#elif defined(__x86_64__) && $N * $B <= 256  // masked stores take twice the time
  if (lanes == $N) return store_$S(p, v);
  typedef long Words __attribute__((vector_size(sizeof(v))));
  const Words words = __builtin_bit_cast(Words, v);
  const long bytes = lanes * sizeof(v[0]);
  char* to = (char*)p;
  unsigned long low = words[0], high = words[1];
  if (sizeof(v) == 32 && (bytes & 16)) {
    __builtin_memcpy(to, &low, 8), __builtin_memcpy(to + 8, &high, 8), to += 16;
    low = words[$N * $B / 64 - 2], high = words[$N * $B / 64 - 1];
  }
  if (bytes & 8) __builtin_memcpy(to, &low, 8), to += 8, low = high;
  if ($B < 64 && (bytes & 4)) __builtin_memcpy(to, &low, 4), to += 4, low >>= 32;
  if ($B < 32 && (bytes & 2)) __builtin_memcpy(to, &low, 2), to += 2, low >>= 16;
  if ($B < 16 && (bytes & 1)) __builtin_memcpy(to, &low, 1);
#else
  __builtin_memcpy(p, &v, lanes * sizeof(v[0]));
#endif
})"},
    {"store_part", "u8 i8 i16 u16 i32 u32 i64 u64 f32 f64", Lanes::vector,
     R"(INLINE void store_part_$S(long lanes, void* p, $T v) {
  __builtin_memcpy(p, &v, lanes * sizeof(v[0]));
})"},
    {"stream", "u8 i8 i16 u16 i32 i64 f32 f64", Lanes::native,
     R"(// A store that passes the caches by, where `past` them is faster.
INLINE void stream_$S(bool past, void* p, $T v) {
#if defined(__AVX512F__) || (defined(__AVX__) && $N * $B <= 256)
  if (__builtin_expect(past && (unsigned long)p % sizeof(v) == 0, 1)) {
    typedef $T Memory __attribute__((may_alias));
    __asm__("vmovntps %1, %0" : "=m"(*(Memory*)p) : "v"(v));
    return;
  }
#endif
  store_$S(p, v);
})"},
    {"stream", "u8 i8 i16 u16 i32 i64 f32 f64", Lanes::vector,
     R"(INLINE void stream_$S(bool, void* p, $T v) { store_$S(p, v); })"},
    {"before_line", "", Lanes::any,
     R"(// How many elements of `size` bytes, of `most`, come before a vector that lies in one line.
INLINE long before_line(const void* p, long size, long lanes, long most) {
  const long before = -(unsigned long)p / size % lanes;
  return before < most ? before : most;
})"},
    {"stream_end", "", Lanes::any,
     R"(// Other threads see what was streamed from here on.
INLINE void stream_end() {
#if defined(__x86_64__)
  __asm__ volatile("sfence" ::: "memory");
#endif
})"},
    {"prefetch", "", Lanes::any,
     R"(// Moves what will be read soon into the L2 cache. Any address is allowed.
INLINE void prefetch(const void* p) { __builtin_prefetch(p, 0, 2); })"},
    {"prefetch_part", "", Lanes::any,
     R"(// Moves the share of some of `rows` rows in `bytes` bytes into the second cache.
INLINE void prefetch_part(const void* p, long bytes, long row, long height, long rows) {
  const long end = bytes * (row + height) / rows;
  for (long i = bytes * row / rows; i < end; i += 64) __builtin_prefetch((const char*)p + i, 0, 2);
})"},
    {"prefetch_rows", "", Lanes::any,
     R"(// Moves `bytes` bytes of each of some rows, `stride` bytes apart, into the second cache.
INLINE void prefetch_rows(const void* p, long rows, long stride, long bytes) {
  for (const char* row = (const char*)p; rows-- > 0; row += stride) {
    for (long i = 0; i < bytes; i += 64) __builtin_prefetch(row + i, 0, 2);
  }
})"},
    {"prefetch_rows_to_write", "", Lanes::any,
     R"(// Moves `bytes` bytes of each of some rows, which will be written, into the second cache.
INLINE void prefetch_rows_to_write(const void* p, long rows, long stride, long bytes) {
  for (const char* row = (const char*)p; rows-- > 0; row += stride) {
    for (long i = 0; i < bytes; i += 64) __builtin_prefetch(row + i, 1, 2);
  }
})"},
    {"keep", "u8 i8 i16 i32 i64 f32 f64", Lanes::vector,
     R"(INLINE $T keep_$S(long lanes, $T v, $T other) {
  return ($I){$L} < ($J)lanes ? v : other;
})"},
    {"lane_equal", "i32 i64", Lanes::vector,
     R"(// Whether first + lane == v.
INLINE $T lane_equal_$S(long first, long v) {
  const unsigned long lane = (unsigned long)v - (unsigned long)first;
  return ($T){$L} == ($J)(lane < $N ? lane : -1);
})"},
    {"lane_below", "i32 i64", Lanes::vector,
     R"(// Whether first + lane < v.
INLINE $T lane_below_$S(long first, long v) {
  const unsigned long lanes = (unsigned long)v - (unsigned long)first;
  return ($T){$L} < ($J)(v <= first ? 0 : lanes < $N ? lanes : $N);
})"},
    {"lane_up_to", "i32 i64", Lanes::vector,
     R"(// Whether first + lane <= v.
INLINE $T lane_up_to_$S(long first, long v) {
  const unsigned long last = (unsigned long)v - (unsigned long)first;
  return ($T){$L} <= ($J)(v < first ? -1 : last < $N ? last : $N);
})"},
    {"truth", "i32", Lanes::vector, R"(INLINE $T truth_$S($(u8) v) { return $as(i32, v) != 0; })"},
    {"truth", "i64", Lanes::vector, R"(INLINE $T truth_$S($(u8) v) { return $as(i64, v) != 0; })"},
    {"bytes", "i32 i64", Lanes::vector,
     R"(INLINE $(u8) bytes_$S($T v) { return $as(u8, v & 1); })"},
    {"product", "f32 f64", Lanes::any,
     R"(// Rounds a product before it is added, so that it is not contracted into an fma.
INLINE $T product_$S($T v) {
#if $N > 1 && $N * $B == 64  // clang has no vector registers of this size
  long bits = __builtin_bit_cast(long, v);
  __asm__("" : "+r"(bits));
  v = __builtin_bit_cast($T, bits);
#elif $N * $B > 256 && !defined(__AVX512F__) || $N * $B > 128 && !defined(__AVX__)
  __asm__("" : "+m"(v));
#elif defined(__x86_64__)
  __asm__("" : "+v"(v));
#elif defined(__aarch64__)
  __asm__("" : "+w"(v));
#endif
  return v;
})"},
    {"sum_lanes", "u8 i8 i16 i32 i64 f32 f64", Lanes::one,
     R"(INLINE $E sum_lanes_$S($E v) { return v; })"},
    {"sum_lanes", "u8 i8 i16 i32 i64 f32 f64", Lanes::vector,
     R"(INLINE $E sum_lanes_$S($T v) { return sum_lanes_$H($low(v) + $high(v)); })"},
    {"prod_lanes", "u8 i8 i16 i32 i64 f32 f64", Lanes::one,
     R"(INLINE $E prod_lanes_$S($E v) { return v; })"},
    {"prod_lanes", "u8 i8 i16 i32 i64 f32 f64", Lanes::vector,
     R"(INLINE $E prod_lanes_$S($T v) { return prod_lanes_$H($low(v) * $high(v)); })"},
    {"max_lanes", "u8 i8 i16 i32 i64 f32 f64", Lanes::one,
     R"(INLINE $E max_lanes_$S($E v) { return v; })"},
    {"max_lanes", "u8 i8 i16 i32 i64 f32 f64", Lanes::vector,
     R"(INLINE $E max_lanes_$S($T v) {
  return max_lanes_$H(maximum_$H($low(v), $high(v)));
})"},
    {"min_lanes", "u8 i8 i16 i32 i64 f32 f64", Lanes::one,
     R"(INLINE $E min_lanes_$S($E v) { return v; })"},
    {"min_lanes", "u8 i8 i16 i32 i64 f32 f64", Lanes::vector,
     R"(INLINE $E min_lanes_$S($T v) {
  return min_lanes_$H(minimum_$H($low(v), $high(v)));
})"},
    {"sum_in_order", "f32 f64", Lanes::vector,
     R"(INLINE $E sum_in_order_$S($E a, $T v, long lanes) {
  for (long i = 0; i < lanes; ++i) a = a + v[i];
  return a;
})"},
    {"prod_in_order", "f32 f64", Lanes::vector,
     R"(INLINE $E prod_in_order_$S($E a, $T v, long lanes) {
  for (long i = 0; i < lanes; ++i) a = a * v[i];
  return a;
})"},
    {"argmax", "u8 i8 i16 i32 i64 bool", Lanes::one,
     R"(INLINE void argmax_$S($E& best, long& where, $E v, long index) {
  if (v > best) {
    best = v;
    where = index;
  }
})"},
    {"argmax", "f32 f64", Lanes::one,
     R"(INLINE void argmax_$S($E& best, long& where, $E v, long index) {
  if (v > best || (v != v && best == best)) {
    best = v;
    where = index;
  }
})"},
    {"argmax", "u8 i8 i16 i32 i64", Lanes::vector,
     R"(INLINE void argmax_$S($T& best, $(i64)& where, $T v, long index) {
  const $I larger = v > best;
  best = larger ? v : best;
  where = $as(i64, larger) ? $k(i64, index) : where;
})"},
    {"argmax", "f32 f64", Lanes::vector,
     R"(INLINE void argmax_$S($T& best, $(i64)& where, $T v, long index) {
  const $I larger = (v > best) | ((v != v) & (best == best));
  best = larger ? v : best;
  where = $as(i64, larger) ? $k(i64, index) : where;
})"},
    {"argmax_narrow", "f32 f64", Lanes::any,
     R"(INLINE void argmax_narrow_$S($T& best, $(i32)& where, $T v, long index) {
  const $I larger = (v > best) | ((v != v) & (best == best));
  best = larger ? v : best;
  where = $as(i32, larger) ? $k(i32, index) : where;
})"},
    {"argmax_truth", "i32 i64", Lanes::vector,
     R"(INLINE void argmax_truth_$S($T& best, $(i64)& where, $T v, long index) {
  where = $as(i64, v & ~best) ? $k(i64, index) : where;
  best |= v;
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
