#pragma once

#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp/prelude/amx_tile.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

/// Writes the helper for sums of up to 16 rows.
class AmxTile {
 public:
  AmxTile(std::string_view name, int count) : name_(name), count_(count) {}

  std::string function() {
    write({"static __attribute__((noinline)) void ", name_,
           "_f32x16(float* sums, long pitch, const unsigned short* left, long row, long height, "
           "const unsigned short* right, long width, long depth, bool more, const char*) {"});
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

SINTER_INLINE std::string multiply_amx_tile(std::string_view name, int vectors,
                                            const VectorType& type) {
  const bool fits = vectors <= 4 && type.lanes == 16 && type.type->name == "f32";
  return fits ? AmxTile(name, vectors).function() : "";
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
