#pragma once

// The text of products from columns that lie along the depth.

#include <algorithm>    // std::min
#include <cstdint>      // std::uint8_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp_fold.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

/// What is known of the depth: nothing; that it is whole vectors, few enough to read them at once;
/// that it is less than one vector.
enum class Depth : std::uint8_t { any, even, short_ };

/// Writes the helper that makes `rows` x `columns` sums of lanes at a time.
class Dots {
 public:
  Dots(int rows, int columns, int lanes, Depth depth)
      : rows_(rows), columns_(columns), lanes_(lanes), depth_(depth) {}

  std::string function() {
    const bool in_parts = depth_ == Depth::any;
    write(
        "// Few rows of sums, each that of the lanes of a row of `left` times a column of "
        "`right`,");
    write("// both of which lie along the depth, ",
          in_parts                ? "of which so much at a time that columns stay near."
          : depth_ == Depth::even ? "which is whole vectors."
                                  : "which is less than a vector.");
    write("static __attribute__((noinline)) void @name($E* sums, long pitch, const $E* left,");
    write("    long row, long height, const @W* right, long stride, long width, long depth) {");
    if (in_parts) write("  const long most = height > ", rows_, " ? 1024 : depth + 1;");
    if (in_parts) write("  alignas(64) $E kept[", kept_rows * columns_, " * $N];");
    write("  for (long j = 0; j < width; j += ", columns_, ") {");
    for (int j = 0; j < columns_; ++j) {
      write("    const @W* const b", j, " = ",
            j == 0 ? std::string("right + j * stride")
                   : text("b", j - 1, " + (j + ", j, " < width ? stride : 0)"),
            ";");
    }
    if (in_parts) {
      write("    for (long from = 0; from < depth || from == 0; from += most) {");
      write("      const long to = depth - from > most ? from + most : depth;");
    }
    write(in_parts ? "  " : "", "    for (long i = 0; i < height; i += ", rows_, ") {");
    write_rows();
    write(in_parts ? "      }\n    }" : "    }");
    write("  }");
    return text_ + "}";
  }

 private:
  static constexpr int kept_rows = 64;

  template <class... Parts>
  void write(const Parts&... parts) {
    text_ += text(parts..., "\n");
  }
  // A line of what is done for some rows and columns.
  template <class... Parts>
  void line(const Parts&... parts) {
    write(depth_ == Depth::any ? "        " : "      ", parts...);
  }

  static std::string sum(int i, int j) { return text("c", i, "_", j); }

  void write_rows() {
    for (int i = 0; i < rows_; ++i) {
      line("const $E* const a", i, " = ",
           i == 0 ? std::string("left + i * row")
                  : text("a", i - 1, " + (i + ", i, " < height ? row : 0)"),
           ";");
    }
    if (depth_ == Depth::any) line("$E* const part = kept + i * ", columns_, " * $N;");
    for (int i = 0; i < rows_; ++i) {
      line("$T ", each([&](int j) { return sum(i, j) + " = {}"; }), ";");
    }
    if (depth_ == Depth::any) {
      write_resume();
      line("long k = from;");
      write_whole("for (; k + $N <= to; k += $N) {");
      line("if (k < to) {");
      line("  const long rest = to - k;");
      write_step("  ", "load_part_$S(rest, ", "@part(rest, ", " + k");
      line("}");
      write_keep();
    } else if (depth_ == Depth::even) {
      write_whole("for (long k = 0; k < depth; k += $N) {");
    } else {
      write_step("", "load_part_$S(depth, ", "@part(depth, ", "");
    }
    write_sums();
  }

  void write_whole(std::string_view loop) {
    line(loop);
    for (int j = 0; j < columns_; ++j) {
      line("  __builtin_prefetch(b", j, " + k + ", columns_, " * stride);");
    }
    write_step("  ", "load_$S(", "@load(", " + k");
    line("}");
  }

  // Sums of earlier parts of the depth are continued.
  void write_resume() {
    line("if (from > 0) {");
    for (int i = 0; i < rows_; ++i) {
      line("  ", each([&](int j) {
             return text(sum(i, j), " = load_$S(part + ", i * columns_ + j, " * $N)");
           }),
           ";");
    }
    line("}");
  }

  // Sums of all parts but the last are kept.
  void write_keep() {
    line("if (to < depth) {");
    for (int i = 0; i < rows_; ++i) {
      line("  ", each([&](int j) {
             return text("store_$S(part + ", i * columns_ + j, " * $N, ", sum(i, j), ")");
           }),
           ";");
    }
    line("  continue;");
    line("}");
  }

  void write_step(std::string_view indent, std::string_view load_left, std::string_view load_right,
                  std::string_view at) {
    line(indent, "const $T ",
         each([&](int j) { return text("w", j, " = ", load_right, "b", j, at, ")"); }), ";");
    for (int i = 0; i < rows_; ++i) {
      line(indent, "const $T x", i, " = ", load_left, "a", i, at, ");");
      line(indent,
           each([&](int j) { return text(sum(i, j), " = ", sum(i, j), " + x", i, " * w", j); }),
           ";");
    }
  }

  void write_sums() {
    for (int i = 0; i < rows_; ++i) {
      std::vector<std::string> vectors;
      for (int j = 0; j < columns_; ++j) vectors.push_back(sum(i, j));
      const FoldedLanes folded = fold_all_lanes(std::move(vectors), lanes_, text("d", i, "_"),
                                                depth_ == Depth::any ? "        " : "      ");
      text_ += folded.lines;
      line("$E* const s", i, " = ",
           i == 0 ? std::string("sums + i * pitch + j") : text("s", i - 1, " + pitch"), ";");
      for (int first = 0; first < columns_; first += lanes_) {
        const int most = std::min(lanes_, columns_ - first);
        const std::string left = first == 0 ? "width - j" : text("width - j - ", first);
        line(first == 0 ? "" : text("if (", left, " > 0) "), "store_part_$S(", left, " < ", most,
             " ? ", left, " : ", most, ", s", i, " + ", first, ", ",
             folded.vectors[static_cast<std::size_t>(first / lanes_)], ");");
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

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
