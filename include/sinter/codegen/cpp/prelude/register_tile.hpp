#pragma once
// Helpers of generated C++ for matrix products: tiles of sums that stay in registers.

#include <array>        // std::array
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/codegen/text/helper_text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The text of "multiply_6x4_f32x16", where `name` is "multiply_6x4": it computes a tile of 6 rows
/// and 4 vectors, or adds to it if `more`,
///
///     sums[i * pitch + j] = sum over k of left[i * row + k * step] * right[k * width + j]
///
/// in the order of k. Unless `ahead` is null, it prefetches a sixteenth of what it reads of `right`
/// from there. Only the first `height` rows of `left` are read; later rows of `sums` are
/// overwritten with unspecified numbers. "multiply_rounded_6x4" rounds each product before it adds
/// it. "multiply_pairs_6x4" multiplies bf16, in pairs along the depth, each in one lane of `right`:
///
///     right[k / 2 * 2 * width + 2 * j + k % 2]
///
/// where an odd depth is padded with 0; rows of `left` have no steps. "multiply_squares_16x4" does
/// the same for up to 16 rows in AMX tiles of 16 by 16 sums, and writes only `height` rows of
/// `sums`. Empty for other names.
std::string multiply_tile(std::string_view name, const VectorType& type);

namespace detail {

inline constexpr std::array<Helper, 9> cpp_product_helpers{{
    {"least", "", Lanes::any, R"(INLINE long least(long a, long b) { return a < b ? a : b; })"},
    {"Part", "", Lanes::any,
     R"(// What one of the threads does of a product: a range of its batches, rows and columns, such
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
};)"},
    {"Cut", "", Lanes::any,
     R"(// Row tiles, and parts of the columns of each, such that the busiest thread ends first,
// counted in multiply-adds.
// Each part repeats the work that comes `before` its columns.
struct Cut {
  struct Product {
    long depth, columns, step;  // columns in steps
    long packing;               // of an element, once for each thread
    long most(long parts) const {
      return depth * least((columns + step * parts - 1) / (step * parts) * step, columns);
    }
  };
  static long common_factor(long a, long b) {
    while (b != 0) {
      const long rest = a % b;
      a = b, b = rest;
    }
    return a;
  }
  long rows = 0, blocks = 0, parts = 0;
  template <int count>
  Cut(long all, long most, long step, long outer, long before, const Product (&products)[count],
      long threads) {
    constexpr long reading = 12;  // of an element of a product, once for each block
    long shortest = 0;
    for (long p = 1; p <= threads; ++p) {
      if (threads % p != 0) continue;
      const long turns = threads / common_factor(threads, outer * p);
      long b = all > most ? (all + most - 1) / most : 1;
      b = (b + turns - 1) / turns * turns;  // as many for each thread
      long high = ((all + b - 1) / b + step - 1) / step * step;
      if (high < step) high = step;
      b = (all + high - 1) / high;
      const long live = least(high, all), each = (outer * b * p + threads - 1) / threads;
      long time = each * live * before;
      for (const Product& one : products) {
        time += (each * (live + reading) + one.packing) * one.most(p);
      }
      if (parts > 0 && time >= shortest) continue;
      shortest = time, rows = high, blocks = b, parts = p;
    }
  }
};)"},
    {"pair", "bf16", Lanes::one,
     R"(// Two adjacent numbers.
INLINE unsigned pair_bf16(const unsigned short* p) {
  unsigned v;
  __builtin_memcpy(&v, p, sizeof(v));
  return v;
})"},
    {"add_product", "f32 f64", Lanes::native,
     R"(// sum + a * b, rounded once, in the register of `sum`: g++ itself moves sums to memory.
INLINE $T add_product_$S($T sum, $T a, $T b) {
#if defined(__FMA__) && ($N * $B <= 256 || defined(__AVX512F__))
  if ($B == 32) __asm__("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  if ($B == 64) __asm__("vfmadd231pd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  return sum;
#else
  return sum + a * b;
#endif
})"},
    {"add_product", "u8 i8 i16 u16 i32 u32 i64 u64 f32 f64", Lanes::any,
     R"(INLINE $T add_product_$S($T sum, $T a, $T b) { return sum + a * b; })"},
    {"add_pairs", "f32", Lanes::vector,
     R"(// Adds both products of each lane. The instruction treats numbers below 2^-126 as 0.
INLINE $T add_pairs_$S($T sum, $(u32) a, $(u32) b) {
#if $N == 16 && defined(__AVX512BF16__)
  __asm__("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  return sum;
#else
  const $T odd = __builtin_bit_cast($T, a & 0xffff0000) * __builtin_bit_cast($T, b & 0xffff0000);
  return sum + __builtin_bit_cast($T, a << 16) * __builtin_bit_cast($T, b << 16) + odd;
#endif
})"},
    {"pair_rows", "bf16", Lanes::one,
     R"(// Packs rows, `stride` apart, into a panel, and interleaves pairs of rows.
static __attribute__((noinline)) void pair_rows_bf16(unsigned short* panel, long step,
    const unsigned short* from, long stride, long width, long rows) {
  for (long row = 0; row < rows; row += 2, from += 2 * stride, panel += 2 * step) {
    const unsigned short* const other = from + stride;
    const bool both = row + 1 < rows;
    for (long i = 0; i < width; i += 16) {
      u16x16 a, b = {};
      if (i + 16 <= width) {
        a = load_u16x16(from + i);
        if (both) b = load_u16x16(other + i);
      } else {
        a = load_part_u16x16(width - i, from + i);
        if (both) b = load_part_u16x16(width - i, other + i);
      }
      const u32x16 low = __builtin_bit_cast(u32x16, f32_of_bf16x16(a)) >> 16;
      store_u32x16(panel + 2 * i, low | __builtin_bit_cast(u32x16, f32_of_bf16x16(b)));
    }
  }
})"},
    {"pack_pairs", "bf16", Lanes::one,
     R"(// Packs columns, `stride` apart, as pairs of rows of a panel, 8 by 4 at a time.
static __attribute__((noinline)) void pack_pairs_bf16(unsigned short* panel, long step,
    const unsigned short* from, long stride, long lanes, long rows) {
  for (long lane = 0; lane < lanes; lane += 4) {
    const long live = lanes - lane < 4 ? lanes - lane : 4;
    const unsigned short *a = from + lane * stride, *b = a + (live > 1) * stride;
    const unsigned short *c = b + (live > 2) * stride, *d = c + (live > 3) * stride;
    long row = 0;
    for (; row + 8 <= rows; row += 8) {
      const u32x4 w = load_u32x4(a + row), x = load_u32x4(b + row);
      const u32x4 y = load_u32x4(c + row), z = load_u32x4(d + row);
      const u32x4 ac = __builtin_shufflevector(w, y, 0, 4, 1, 5);
      const u32x4 bd = __builtin_shufflevector(x, z, 0, 4, 1, 5);
      const u32x4 ac2 = __builtin_shufflevector(w, y, 2, 6, 3, 7);
      const u32x4 bd2 = __builtin_shufflevector(x, z, 2, 6, 3, 7);
      unsigned short* const to = panel + row * step + 2 * lane;
      store_u32x4(to, __builtin_shufflevector(ac, bd, 0, 4, 1, 5));
      store_u32x4(to + 2 * step, __builtin_shufflevector(ac, bd, 2, 6, 3, 7));
      store_u32x4(to + 4 * step, __builtin_shufflevector(ac2, bd2, 0, 4, 1, 5));
      store_u32x4(to + 6 * step, __builtin_shufflevector(ac2, bd2, 2, 6, 3, 7));
    }
    for (; row < rows; row += 2) {
      unsigned short* const to = panel + row * step + 2 * lane;
      const bool both = row + 1 < rows;
      to[0] = a[row], to[2] = b[row], to[4] = c[row], to[6] = d[row];
      to[1] = both ? a[row + 1] : 0, to[3] = both ? b[row + 1] : 0;
      to[5] = both ? c[row + 1] : 0, to[7] = both ? d[row + 1] : 0;
    }
  }
})"},
}};

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/prelude/register_tile.ipp>
#endif
