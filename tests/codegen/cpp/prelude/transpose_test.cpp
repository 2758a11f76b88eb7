#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/transpose.hpp>
#include <sinter/codegen/text/helper_text.hpp>

#include <numeric>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

template <class T>
void check_all_sizes(void* function) {
  using Transpose = void (*)(T*, long, const T*, long, long, long);
  const auto transpose = reinterpret_cast<Transpose>(function);
  constexpr long stride = 21, step = 19;
  std::vector<T> from(20 * stride);
  std::iota(from.begin(), from.end(), T(1));
  for (long columns = 0; columns <= 18; ++columns) {
    for (long rows = 0; rows <= 18; ++rows) {
      std::vector<T> tile(20 * step, T(0)), expected = tile;
      transpose(tile.data(), step, from.data(), stride, columns, rows);
      for (long row = 0; row < rows; ++row) {
        for (long column = 0; column < columns; ++column) {
          expected[static_cast<std::size_t>(row * step + column)] =
              from[static_cast<std::size_t>(column * stride + row)];
        }
      }
      INFO(columns, " columns, ", rows, " rows");
      CHECK(tile == expected);
    }
  }
}

}  // namespace

TEST_CASE("cpp_transpose: columns become rows, and nothing else is written") {
  std::string body;
  for (const std::string type : {"u8", "u16", "i32", "f32", "i64", "f64"}) {
    const codegen::VectorType known = codegen::parse_vector_type(type);
    const std::string c(known.type->c_name);
    body += "extern \"C\" void of_" + type + "(" + c + "* to, long step, const " + c +
            "* from, long stride, long columns, long rows) {\n  transpose_" + type +
            "(to, step, from, stride, columns, rows);\n}\n";
  }
  const Source source{Language::cpp, "", body, {}};
  const HostLibrary library(codegen::cpp_prelude({&source, 1}) + body);

  check_all_sizes<unsigned char>(library.symbol("of_u8"));
  check_all_sizes<unsigned short>(library.symbol("of_u16"));
  check_all_sizes<int>(library.symbol("of_i32"));
  check_all_sizes<float>(library.symbol("of_f32"));
  check_all_sizes<long>(library.symbol("of_i64"));
  check_all_sizes<double>(library.symbol("of_f64"));
}
