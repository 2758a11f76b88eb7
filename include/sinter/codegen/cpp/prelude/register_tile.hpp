#pragma once
// Helpers of generated C++ for matrix products: tiles of sums that stay in registers.

#include <algorithm>    // std::max
#include <array>        // std::array
#include <charconv>     // std::from_chars
#include <cstdint>      // std::uint8_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp/prelude/amx_tile.hpp>
#include <sinter/codegen/text/helper.hpp>
#include <sinter/codegen/text/helper_text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

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

/// How a tile multiplies: fused; with each product rounded before it is added; or two bf16 products
/// at once.
enum class Multiply : std::uint8_t { fused, rounded, bf16_dot };

/// Writes one tile.
class Tile {
 public:
  Tile(std::string_view name, int rows, int vectors, Multiply how, bool prefetches,
       const VectorType& type)
      : name_(name),
        rows_(rows),
        vectors_(vectors),
        how_(how),
        prefetches_(prefetches),
        lanes_(type.lanes) {
    number_ = text(type.type->name, lanes_ > 1 ? text("x", lanes_) : "");
    element_ = type.type->c_name;
    element_bytes_ = type.type->size;
    vector_ = lanes_ > 1 ? number_ : element_;
    pair_type_ = text("u32", lanes_ > 1 ? text("x", lanes_) : "");
  }

  std::string function() {
    const bool is_bf16_dot = how_ == Multiply::bf16_dot;
    const std::string operand = is_bf16_dot ? "unsigned short" : element_;
    write({"static __attribute__((noinline)) void ", name_, "_", number_, "(", element_,
           "* sums, long pitch, const ", operand, "* left, long row, ",
           is_bf16_dot ? "" : "long step, ", "long height, const ", operand,
           "* right, long width, long depth, bool more", prefetches_ ? ", const char* ahead" : "",
           ") {"});
    for (int i = 0; i < rows_; ++i) {
      write({"  const ", operand, "* const a", i, " = ",
             i == 0 ? std::string("left") : text("a", i - 1, " + (height > ", i, " ? row : 0)"),
             ";"});
      write({"  ", element_, "* const s", i, " = sums", i == 0 ? "" : text(" + ", i, " * pitch"),
             ";"});
    }
    for (int i = 0; i < rows_; ++i)
      write({"  ", vector_, " ", each([&](int j) { return text(sum(i, j), " = {}"); }), ";"});
    write({"  if (more) {"});
    for (int i = 0; i < rows_; ++i) {
      write({"    ", each([&](int j) { return text(sum(i, j), " = ", load("s", i, j)); }), ";"});
    }
    write({"  }"});
    is_bf16_dot ? write_bf16_dot_loop() : write_loop();
    for (int i = 0; i < rows_; ++i) {
      write({"  ", each([&](int j) { return store(i, j); }), ";"});
    }
    return text_ + "}";
  }

 private:
  static constexpr int together = 4;  // steps along the depth

  void write(TextParts line) {
    append_parts(text_, line);
    text_ += "\n";
  }

  void write_loop() {
    write({"  const long next = ", rows_, " * row;"});
    write({"  for (long k = 0; depth > 0;) {"});
    for (int i = 0; i < rows_; ++i) write({"    __builtin_prefetch(a", i, " + k + next);"});
    if (prefetches_) write_prefetch_ahead();
    write({"    const long end = depth > 16 ? depth - 16 : 0;"});
    // Unrolled, because advancing the pointers competes with the multiply-adds for ports.
    write({"    for (; depth >= end + ", together, "; depth -= ", together, ", k += ", together,
           " * step, right += ", together, " * width) {"});
    write({"#pragma GCC unroll ", together});
    write({"      for (long i = 0; i < ", together, "; ++i) {"});
    write_step("        ", "right + i * width", "[k + i * step]");
    write({"      }"});
    write({"    }"});
    write({"    for (; depth > end; --depth, k += step, right += width) {"});
    write_step("      ", "right", "[k]");
    write({"    }"});
    write({"  }"});
  }

  // Every 16 steps, prefetches as many bytes as one step reads of `right`: 16 tiles together
  // prefetch as much as each of them reads.
  void write_prefetch_ahead() {
    const int bytes = std::max(64, vectors_ * lanes_ * element_bytes_);
    write({"    if (ahead) {"});
    for (int at = 0; at < bytes; at += 64) write({"      prefetch(ahead + ", at, ");"});
    write({"      ahead += ", bytes, ";"});
    write({"    }"});
  }

  // One step along the depth: a number of each row of `left` times the panel row at `row`.
  void write_step(std::string_view indent, std::string_view row, std::string_view position) {
    write({indent, "const ", vector_, " ",
           each([&](int j) { return text("b", j, " = ", load(row, -1, j)); }), ";"});
    for (int i = 0; i < rows_; ++i) {
      const std::string at = text("a", i, position);
      write({indent, "const ", vector_, " x", i, " = ",
             lanes_ > 1 ? text("splat_", number_, "(", at, ")") : at, ";"});
      write({indent, each([&](int j) {
               if (how_ == Multiply::rounded) {
                 return text(sum(i, j), " = ", sum(i, j), " + product_", number_, "(x", i, " * b",
                             j, ")");
               }
               return text(sum(i, j), " = add_product_", number_, "(", sum(i, j), ", x", i, ", b",
                           j, ")");
             }),
             ";"});
    }
  }

  void write_bf16_dot_loop() {
    write({"  const long next = ", rows_, " * row;"});
    write({"  const bool odd = depth % 2 != 0;"});
    write({"  depth -= odd;"});
    write({"  long k = 0;"});
    write({"  while (depth > 0) {"});
    for (int i = 0; i < rows_; ++i) write({"    __builtin_prefetch(a", i, " + k + next);"});
    write({"    const long end = depth > 32 ? depth - 32 : 0;"});
    write({"    for (; depth > end; depth -= 2, k += 2, right += 2 * width) {"});
    write_bf16_dot_step("      ", "pair_bf16(", " + k)");
    write({"    }"});
    write({"  }"});
    write({"  if (odd) {  // memory behind the last row must not be read"});
    write_bf16_dot_step("    ", "(unsigned)", "[k]");
    write({"  }"});
  }

  void write_bf16_dot_step(std::string_view indent, std::string_view before,
                           std::string_view behind) {
    write({indent, "const ", pair_type_, " ", each([&](int j) {
             const std::string at = j == 0 ? "right" : text("right + ", 2 * j * lanes_);
             return text("b", j, " = load_", pair_type_, "(", at, ")");
           }),
           ";"});
    for (int i = 0; i < rows_; ++i) {
      write({indent, "const ", pair_type_, " x", i, " = splat_", pair_type_, "(", before, "a", i,
             behind, ");"});
      write({indent, each([&](int j) {
               return text(sum(i, j), " = add_pairs_", number_, "(", sum(i, j), ", x", i, ", b", j,
                           ")");
             }),
             ";"});
    }
  }

  // part(j) for each vector j of a row, separated by commas.
  template <class Part>
  std::string each(Part part) const {
    std::string result;
    for (int j = 0; j < vectors_; ++j) result += text(j == 0 ? "" : ", ", part(j));
    return result;
  }

  static std::string sum(int i, int j) { return text("c", i, "_", j); }
  std::string place(std::string_view pointer, int row, int j) const {
    const std::string name = row < 0 ? std::string(pointer) : text(pointer, row);
    return j == 0 ? name : text(name, " + ", j * lanes_);
  }
  std::string load(std::string_view pointer, int row, int j) const {
    const std::string at = place(pointer, row, j);
    return lanes_ > 1 ? text("load_", number_, "(", at, ")") : text("*(", at, ")");
  }
  std::string store(int i, int j) const {
    const std::string at = place("s", i, j);
    return lanes_ > 1 ? text("store_", number_, "(", at, ", ", sum(i, j), ")")
                      : text("*(", at, ") = ", sum(i, j));
  }

  std::string_view name_;
  int rows_, vectors_;
  Multiply how_;
  bool prefetches_;
  int lanes_, element_bytes_ = 0;
  std::string number_{}, element_{}, vector_{}, pair_type_{}, text_{};
};

}  // namespace detail

/// The text of "multiply_6x4_f32x16", where `name` is "multiply_6x4": it computes a tile of 6 rows
/// and 4 vectors, or adds to it if `more`,
///
///     sums[i * pitch + j] = sum over k of left[i * row + k * step] * right[k * width + j]
///
/// in the order of k. Only the first `height` rows of `left` are read; later rows of `sums` are
/// overwritten with unspecified numbers. "multiply_ahead_6x4" prefetches a sixteenth of what it
/// reads of `right` from its last argument on, unless that is null. "multiply_rounded_6x4" and
/// "multiply_ahead_rounded_6x4" round each product before they add it. "multiply_pairs_6x4"
/// multiplies bf16, in pairs along the depth, each in one lane of `right`:
///
///     right[k / 2 * 2 * width + 2 * j + k % 2]
///
/// where an odd depth is padded with 0; rows of `left` have no steps. "multiply_squares_16x4" does
/// the same for up to 16 rows in AMX tiles of 16 by 16 sums, and writes only `height` rows of
/// `sums`. Empty for other names.
inline std::string multiply_tile(std::string_view name, const VectorType& type) {
  std::string_view size = name;
  const auto skip = [&](std::string_view word) {
    const bool found = size.substr(0, word.size()) == word;
    if (found) size.remove_prefix(word.size());
    return found;
  };
  if (!skip("multiply_")) return "";
  const bool prefetches = skip("ahead_");
  const detail::Multiply how = skip("rounded_") ? detail::Multiply::rounded
                               : skip("pairs_") ? detail::Multiply::bf16_dot
                                                : detail::Multiply::fused;
  const bool is_amx = skip("squares_");
  int rows = 0, vectors = 0;
  const char* end = size.data() + size.size();
  const auto first = std::from_chars(size.data(), end, rows);
  if (first.ptr == end || *first.ptr != 'x') return "";
  const auto second = std::from_chars(first.ptr + 1, end, vectors);
  if (second.ptr != end || rows < 1 || vectors < 1) return "";
  if (is_amx) return detail::multiply_amx_tile(name, vectors, type);
  return detail::Tile(name, rows, vectors, how, prefetches, type).function();
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
