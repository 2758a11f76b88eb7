#pragma once
// Helpers of generated C++ that multiply bf16 in AMX tiles, of 16 by 16 sums.

#include <array>        // std::array
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/text.hpp>
#include <sinter/codegen/text/helper.hpp>
#include <sinter/codegen/text/helper_text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

inline constexpr std::array<Helper, 5> cpp_amx_helpers{{
    {"begin_squares", "", Lanes::any,
     R"(// Tile registers 0 to 3 have sums, 4 has `height` rows of the left operand, 5 columns of
// the right one; 6 and 7 have the `rest` of these at the end of the depth.
INLINE void begin_squares(long height, long rest) {
  struct {
    unsigned char palette = 1, start = 0, none[14] = {};
    unsigned short bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    unsigned char rows[16] = {1, 1, 1, 1, 1, 16, 1, 16};
  } shape;
  for (int i = 0; i < 5; ++i) shape.rows[i] = (unsigned char)height;
  shape.rows[6] = (unsigned char)height;
  if (rest > 0) {
    shape.bytes[6] = (unsigned short)((rest + 1) / 2 * 4);
    shape.rows[7] = (unsigned char)((rest + 1) / 2);
  }
  __asm__ volatile("ldtilecfg %0" : : "m"(shape));
})"},
    {"load_square", "f32 bf16", Lanes::one,
     R"~(template <int square>
INLINE void load_square_$S(const $T* p, long pitch) {
  const long step = pitch * (long)sizeof($T);
  __asm__ volatile("tileloadd (%1,%2,1), %%tmm%c0" : : "i"(square), "r"(p), "r"(step) : "memory");
})~"},
    {"store_square", "f32", Lanes::one,
     R"~(template <int square>
INLINE void store_square_$S($T* p, long pitch) {
  const long step = pitch * (long)sizeof($T);
  __asm__ volatile("tilestored %%tmm%c0, (%1,%2,1)" : : "i"(square), "r"(p), "r"(step) : "memory");
})~"},
    {"clear_square", "f32", Lanes::one,
     R"(template <int square>
INLINE void clear_square_$S() {
  __asm__ volatile("tilezero %%tmm%c0" : : "i"(square));
})"},
    {"add_square", "f32", Lanes::one,
     R"(// Adds the dot products of pairs of bf16. The instruction treats numbers below 2^-126 as 0.
template <int sums, int left, int right>
INLINE void add_square_$S() {
  __asm__ volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(sums), "i"(left), "i"(right));
})"},
}};

/// Writes the helper for sums of up to 16 rows.
class AmxTile {
 public:
  AmxTile(std::string_view name, int count) : name_(name), count_(count) {}

  std::string function() {
    write({"static __attribute__((noinline)) void ", name_,
           "_f32x16(float* sums, long pitch, const unsigned short* left, long row, long height, "
           "const unsigned short* right, long width, long depth, bool more) {"});
    write({"#ifdef __AMX_BF16__"});
    write_amx();
    write({"#else"});
    write_scalar();
    write({"#endif"});
    return text_ + "}";
  }

 private:
  void write(TextParts line) {
    append_parts(text_, line);
    text_ += "\n";
  }

  // Memory behind the last row of `left` must not be read, so the rest of the depth is copied.
  void write_amx() {
    write({"  const long rest = depth % 32;"});
    write({"  begin_squares(height, rest);"});
    write({"  if (more) {"});
    each([&](int j) { write({"    load_square_f32<", j, ">(sums", plus(16 * j), ", pitch);"}); });
    write({"  } else {"});
    each([&](int j) { write({"    clear_square_f32<", j, ">();"}); });
    write({"  }"});
    write({"  for (; depth >= 32; depth -= 32, left += 32, right += 32 * width) {"});
    write({"    load_square_bf16<4>(left, row);"});
    write_step("    ", 4, 5);
    write({"  }"});
    write({"  if (rest > 0) {"});
    write({"    unsigned short last[16 * 32] = {};"});
    write({"    for (long i = 0; i < height; ++i) {"});
    write({"      for (long k = 0; k < rest; ++k) last[32 * i + k] = left[row * i + k];"});
    write({"    }"});
    write({"    load_square_bf16<6>(last, 32);"});
    write_step("    ", 6, 7);
    write({"  }"});
    each([&](int j) { write({"  store_square_f32<", j, ">(sums", plus(16 * j), ", pitch);"}); });
    write({"  __asm__ volatile(\"tilerelease\");"});
  }

  void write_step(std::string_view indent, int left, int right) {
    each([&](int j) {
      write({indent, "load_square_bf16<", right, ">(right", plus(32 * j), ", 2 * width);"});
      write({indent, "add_square_f32<", j, ", ", left, ", ", right, ">();"});
    });
  }

  void write_scalar() {
    write({"  for (long i = 0; i < height; ++i) {"});
    write({"    for (long j = 0; j < ", 16 * count_, "; ++j) {"});
    write({"      float sum = more ? sums[i * pitch + j] : 0;"});
    write({"      for (long k = 0; k < depth; ++k) {"});
    write({"        const unsigned a = left[i * row + k];"});
    write({"        const unsigned b = right[k / 2 * 2 * width + 2 * j + k % 2];"});
    write({"        sum += __builtin_bit_cast(float, a << 16) * ",
           "__builtin_bit_cast(float, b << 16);"});
    write({"      }"});
    write({"      sums[i * pitch + j] = sum;"});
    write({"    }"});
    write({"  }"});
  }

  template <class Write>
  void each(const Write& write) const {
    for (int j = 0; j < count_; ++j) write({j});
  }

  static std::string plus(int elements) { return elements == 0 ? "" : text(" + ", elements); }

  std::string_view name_;
  int count_;
  std::string text_{};
};

/// The text of "multiply_squares_16x4_f32x16", where `vectors` is 4: see multiply_tile().
inline std::string multiply_amx_tile(std::string_view name, int vectors, const VectorType& type) {
  const bool fits = vectors <= 4 && type.lanes == 16 && type.type->name == "f32";
  return fits ? AmxTile(name, vectors).function() : "";
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen
