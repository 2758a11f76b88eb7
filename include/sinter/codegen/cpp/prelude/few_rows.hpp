#pragma once
// Helpers of generated C++ for products of few rows, which read the right operand in place.

#include <algorithm>    // std::min
#include <charconv>     // std::from_chars
#include <cstdint>      // std::uint8_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::pair
#include <vector>       // std::vector

#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp/prelude/fold.hpp>
#include <sinter/codegen/text/helper_text.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

/// What is known of the depth: nothing; that it is whole vectors, few enough for one pass; that it
/// is less than one vector.
enum class Depth : std::uint8_t { any, even, short_ };

/// Writes the helper that computes `rows` x `columns` dot products at a time.
class Dots {
 public:
  Dots(int rows, int columns, int lanes, Depth depth)
      : rows_(rows), columns_(columns), lanes_(lanes), depth_(depth) {}

  std::string function() {
    const bool in_blocks = depth_ == Depth::any;
    write(
        {"// Dot products of few rows of `left` with columns of `right`, both contiguous along "
         "the"});
    write({"// depth, ", in_blocks ? "which is split so that columns stay in a near cache."
                         : depth_ == Depth::even ? "which is whole vectors."
                                                 : "which is less than a vector."});
    write({"static __attribute__((noinline)) void @name($E* sums, long pitch, const $E* left,"});
    write({"    long row, long height, const @W* right, long stride, long width, long depth) {"});
    if (in_blocks) write({"  const long most = height > ", rows_, " ? 1024 : depth + 1;"});
    if (in_blocks) write({"  alignas(64) $E kept[", kept_rows * columns_, " * $N];"});
    write({"  for (long j = 0; j < width; j += ", columns_, ") {"});
    for (int j = 0; j < columns_; ++j) {
      write({"    const @W* const b", j, " = ",
             j == 0 ? std::string("right + j * stride")
                    : text("b", j - 1, " + (j + ", j, " < width ? stride : 0)"),
             ";"});
    }
    if (in_blocks) {
      write({"    for (long from = 0; from < depth || from == 0; from += most) {"});
      write({"      const long to = depth - from > most ? from + most : depth;"});
    }
    write({in_blocks ? "  " : "", "    for (long i = 0; i < height; i += ", rows_, ") {"});
    write_rows();
    write({in_blocks ? "      }\n    }" : "    }"});
    write({"  }"});
    return text_ + "}";
  }

 private:
  static constexpr int kept_rows = 64;

  void write(TextParts line) {
    append_parts(text_, line);
    text_ += "\n";
  }
  // Writes a line of the loop over rows and columns.
  void line(TextParts line) {
    text_ += depth_ == Depth::any ? "        " : "      ";
    write(line);
  }

  static std::string sum(int i, int j) { return text("c", i, "_", j); }

  void write_rows() {
    for (int i = 0; i < rows_; ++i) {
      line({"const $E* const a", i, " = ",
            i == 0 ? std::string("left + i * row")
                   : text("a", i - 1, " + (i + ", i, " < height ? row : 0)"),
            ";"});
    }
    if (depth_ == Depth::any) line({"$E* const part = kept + i * ", columns_, " * $N;"});
    for (int i = 0; i < rows_; ++i) {
      line({"$T ", each([&](int j) { return sum(i, j) + " = {}"; }), ";"});
    }
    if (depth_ == Depth::any) {
      write_resume();
      line({"long k = from;"});
      write_whole("for (; k + $N <= to; k += $N) {");
      line({"if (k < to) {"});
      line({"  const long rest = to - k;"});
      write_step("  ", "load_part_$S(rest, ", "@part(rest, ", " + k");
      line({"}"});
      write_keep();
    } else if (depth_ == Depth::even) {
      write_whole("for (long k = 0; k < depth; k += $N) {");
    } else {
      write_step("", "load_part_$S(depth, ", "@part(depth, ", "");
    }
    write_sums();
  }

  void write_whole(std::string_view loop) {
    line({loop});
    for (int j = 0; j < columns_; ++j) {
      line({"  __builtin_prefetch(b", j, " + k + ", columns_, " * stride);"});
    }
    write_step("  ", "load_$S(", "@load(", " + k");
    line({"}"});
  }

  // Continues the sums of earlier blocks of the depth.
  void write_resume() {
    line({"if (from > 0) {"});
    for (int i = 0; i < rows_; ++i) {
      line({"  ", each([&](int j) {
              return text(sum(i, j), " = load_$S(part + ", i * columns_ + j, " * $N)");
            }),
            ";"});
    }
    line({"}"});
  }

  // Keeps the sums of all blocks of the depth but the last.
  void write_keep() {
    line({"if (to < depth) {"});
    for (int i = 0; i < rows_; ++i) {
      line({"  ", each([&](int j) {
              return text("store_$S(part + ", i * columns_ + j, " * $N, ", sum(i, j), ")");
            }),
            ";"});
    }
    line({"  continue;"});
    line({"}"});
  }

  void write_step(std::string_view indent, std::string_view load_left, std::string_view load_right,
                  std::string_view at) {
    line({indent, "const $T ",
          each([&](int j) { return text("w", j, " = ", load_right, "b", j, at, ")"); }), ";"});
    for (int i = 0; i < rows_; ++i) {
      line({indent, "const $T x", i, " = ", load_left, "a", i, at, ");"});
      line({indent,
            each([&](int j) { return text(sum(i, j), " = ", sum(i, j), " + x", i, " * w", j); }),
            ";"});
    }
  }

  void write_sums() {
    for (int i = 0; i < rows_; ++i) {
      std::vector<std::string> vectors;
      for (int j = 0; j < columns_; ++j) vectors.push_back(sum(i, j));
      const FoldedLanes folded = fold_all_lanes(std::move(vectors), lanes_, text("d", i, "_"),
                                                depth_ == Depth::any ? "        " : "      ");
      text_ += folded.lines;
      line({"$E* const s", i, " = ",
            i == 0 ? std::string("sums + i * pitch + j") : text("s", i - 1, " + pitch"), ";"});
      for (int first = 0; first < columns_; first += lanes_) {
        const int most = std::min(lanes_, columns_ - first);
        const std::string left = first == 0 ? "width - j" : text("width - j - ", first);
        line({first == 0 ? "" : text("if (", left, " > 0) "), "store_part_$S(", left, " < ", most,
              " ? ", left, " : ", most, ", s", i, " + ", first, ", ",
              folded.vectors[static_cast<std::size_t>(first / lanes_)], ");"});
      }
    }
  }

  template <class Part>
  std::string each(Part part) const {
    std::string result;
    for (int j = 0; j < columns_; ++j) result += text(j == 0 ? "" : ", ", part(j));
    return result;
  }

  int rows_, columns_, lanes_;
  Depth depth_;
  std::string text_{};
};

// Placeholders beside those of Helper: @name is the name, @W the stored type of `right`, @load and
// @part read a vector of it.
inline constexpr std::string_view multiply_rows_text =
    R"(// Few rows of sums, two at a time, from the rows of `right`, four at a time, read in place.
static __attribute__((noinline)) void @name($E* sums, long pitch, const $E* left,
    long row, long step, long height, const @W* right, long stride, long width, long depth) {
  for (long i = 0; i < height; ++i) {
    for (long j = 0; j < width; j += $N) store_$S(sums + i * pitch + j, ($T){});
  }
  const long whole = width / $N * $N, rest = width - whole;
  long k = 0;
  for (; k + 4 <= depth; k += 4, right += 4 * stride) {
    long i = 0;
    for (; i + 2 <= height; i += 2) {
      const $E *const a = left + i * row + k * step, *const b = a + row;
      const @W *const next = right + (4 + i % 4) * stride, *const after = next + stride;
      $E *const s = sums + i * pitch, *const t = s + pitch;
      const $T a0 = splat_$S(a[0]), a1 = splat_$S(a[step]);
      const $T a2 = splat_$S(a[2 * step]), a3 = splat_$S(a[3 * step]);
      const $T b0 = splat_$S(b[0]), b1 = splat_$S(b[step]);
      const $T b2 = splat_$S(b[2 * step]), b3 = splat_$S(b[3 * step]);
      for (long j = 0; j < width; j += $N) {
        if (i < 4) __builtin_prefetch(next + j), __builtin_prefetch(after + j);
        const @W* const from = right + j;
        $T w, x, y, z;
        if (j < whole) {
          w = @load(from), x = @load(from + stride);
          y = @load(from + 2 * stride), z = @load(from + 3 * stride);
        } else {
          w = @part(rest, from), x = @part(rest, from + stride);
          y = @part(rest, from + 2 * stride), z = @part(rest, from + 3 * stride);
        }
        $T c = load_$S(s + j) + a0 * w, d = load_$S(t + j) + b0 * w;
        c = c + a1 * x, d = d + b1 * x;
        c = c + a2 * y, d = d + b2 * y;
        store_$S(s + j, c + a3 * z), store_$S(t + j, d + b3 * z);
      }
    }
    if (i == height) continue;
    const $E* const a = left + i * row + k * step;
    $E* const s = sums + i * pitch;
    const $T a0 = splat_$S(a[0]), a1 = splat_$S(a[step]);
    const $T a2 = splat_$S(a[2 * step]), a3 = splat_$S(a[3 * step]);
    for (long j = 0; j < whole; j += $N) {
      const @W* const from = right + j;
      if (sizeof(@W) < sizeof($E) && i < 4) {  // the rows after these fit into the L1 cache
        for (long n = 4; n < 8; ++n) __builtin_prefetch(from + n * stride);
      }
      $T c = load_$S(s + j) + a0 * @load(from);
      c = c + a1 * @load(from + stride);
      c = c + a2 * @load(from + 2 * stride);
      store_$S(s + j, c + a3 * @load(from + 3 * stride));
    }
    if (rest > 0) {
      const @W* const from = right + whole;
      $T c = load_$S(s + whole) + a0 * @part(rest, from);
      c = c + a1 * @part(rest, from + stride);
      c = c + a2 * @part(rest, from + 2 * stride);
      store_$S(s + whole, c + a3 * @part(rest, from + 3 * stride));
    }
  }
  for (; k < depth; ++k, right += stride) {
    for (long i = 0; i < height; ++i) {
      $E* const s = sums + i * pitch;
      const $T a = splat_$S(left[i * row + k * step]);
      long j = 0;
      for (; j < whole; j += $N) store_$S(s + j, load_$S(s + j) + a * @load(right + j));
      if (rest > 0) store_$S(s + j, load_$S(s + j) + a * @part(rest, right + j));
    }
  }
})";

// Conversions from stored types to the type of the sums.
struct Widening {
  std::string_view type, stored, vector, before, after;
};
inline constexpr Widening widenings[] = {
    {"bf16", "unsigned short", "u16", "f32_of_bf16x$N(", ")"},
    {"f16", "unsigned short", "u16", "f32_of_f16x$N(", ")"},
    {"i8", "signed char", "i8", "f32_of_i8x$N(", ")"},
};

inline const Widening* widening_of(std::string_view name) {
  for (const Widening& one : widenings) {
    if (name.size() > one.type.size() && name.ends_with(one.type) &&
        name[name.size() - one.type.size() - 1] == '_') {
      return &one;
    }
  }
  return nullptr;
}

inline std::string with_stored(std::string_view form, std::string_view name, const Widening* stored,
                               const VectorType& type) {
  const std::pair<std::string_view, std::string> words[] = {
      {"@name", text(name, "_$S")},
      {"@W", stored ? std::string(stored->stored) : "$E"},
      {"@load", stored ? text("widen_", stored->type, "_$S") : "load_$S"},
      {"@part", stored ? text("widen_part_", stored->type, "_$S") : "load_part_$S"}};
  std::string result(form);
  for (const auto& [word, meaning] : words) {
    for (std::size_t at = 0; (at = result.find(word, at)) != std::string::npos;) {
      result.replace(at, word.size(), meaning);
    }
  }
  return fill_helper(result, type);
}

inline std::string widen_text(std::string_view name, const Widening& from, const VectorType& type) {
  const bool part = name.starts_with("widen_part_");
  return fill_helper(text("INLINE $T ", name, "_$S(", part ? "long n, " : "", "const ", from.stored,
                          "* p) { return ", from.before, part ? "load_part_" : "load_", from.vector,
                          "x$N(", part ? "n, " : "", "p)", from.after, "; }"),
                     type);
}

// Parses "4x6": rows and columns; false if it is malformed.
inline bool read_size(std::string_view size, int& rows, int& columns) {
  const char* const end = size.data() + size.size();
  const auto first = std::from_chars(size.data(), end, rows);
  if (first.ptr == end || *first.ptr != 'x') return false;
  const auto second = std::from_chars(first.ptr + 1, end, columns);
  return second.ptr == end && rows > 0 && columns > 0;
}

}  // namespace detail

/// The text of "multiply_rows_f32x16", where `name` is "multiply_rows": few rows of sums, from the
/// rows of the right operand; or of "multiply_dots_4x6_f32x16": dot products with its columns,
/// which are contiguous along the depth, 4 rows and 6 columns at a time. "even_dots" is for a depth
/// of whole vectors, "short_dots" for one of less than a vector. "multiply_rows_bf16" reads numbers
/// of another type than that of the sums: bf16, f16 or i8; "widen_bf16" and "widen_part_bf16" read
/// a vector of them. Empty for other names.
inline std::string multiply_few_rows(std::string_view name, const VectorType& type) {
  const detail::Widening* const stored = detail::widening_of(name);
  const std::string_view bare =
      stored ? name.substr(0, name.size() - stored->type.size() - 1) : name;
  if (stored && (bare == "widen" || bare == "widen_part")) {
    return detail::widen_text(name, *stored, type);
  }
  if (bare == "multiply_rows") {
    return detail::with_stored(detail::multiply_rows_text, name, stored, type);
  }
  constexpr std::pair<std::string_view, detail::Depth> forms[] = {
      {"multiply_dots_", detail::Depth::any},
      {"multiply_even_dots_", detail::Depth::even},
      {"multiply_short_dots_", detail::Depth::short_}};
  for (const auto& [dots, depth] : forms) {
    int rows = 0, columns = 0;
    if (!bare.starts_with(dots)) continue;
    if (!detail::read_size(bare.substr(dots.size()), rows, columns)) continue;
    return detail::with_stored(detail::Dots(rows, columns, type.lanes, depth).function(), name,
                               stored, type);
  }
  return "";
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
