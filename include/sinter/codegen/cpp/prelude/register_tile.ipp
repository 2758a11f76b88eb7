#pragma once

#include <algorithm>  // std::max
#include <charconv>   // std::from_chars
#include <cstdint>    // std::uint8_t

#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp/prelude/amx_tile.hpp>
#include <sinter/codegen/cpp/prelude/register_tile.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

/// How a tile multiplies: fused; with each product rounded before it is added; or two bf16 products
/// at once.
enum class Multiply : std::uint8_t { fused, rounded, bf16_dot };

/// Writes one tile.
class Tile {
 public:
  Tile(std::string_view name, int rows, int vectors, Multiply how, const VectorType& type)
      : name_(name), rows_(rows), vectors_(vectors), how_(how), lanes_(type.lanes) {
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
           "* right, long width, long depth, bool more, const char* ahead) {"});
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
    write_prefetch_ahead();
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

  // As many bytes as a step reads of `right`, so that 16 tiles prefetch as much as each of them
  // reads.
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
  int lanes_, element_bytes_ = 0;
  std::string number_{}, element_{}, vector_{}, pair_type_{}, text_{};
};

}  // namespace detail

SINTER_INLINE std::string multiply_tile(std::string_view name, const VectorType& type) {
  std::string_view size = name;
  const auto skip = [&](std::string_view word) {
    const bool found = size.substr(0, word.size()) == word;
    if (found) size.remove_prefix(word.size());
    return found;
  };
  if (!skip("multiply_")) return "";
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
  return detail::Tile(name, rows, vectors, how, type).function();
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
