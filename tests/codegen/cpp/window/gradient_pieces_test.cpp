#include <doctest/doctest.h>
#include <sinter/codegen/cpp/window/gradient_pieces.hpp>

#include "cpp/window/convolutions.hpp"

using namespace kernels;

TEST_CASE("gradient_pieces: strips of some channels and images are padded while they are staged") {
  const Gradient one({16, 64, 64, 7, 3, 1, 1});
  const auto how = codegen::panels_of(one.kernel, *one.windows, for_avx2());
  const std::string strip = codegen::image_strip_piece(how, *one.windows, "k");
  CHECK(contains(strip, "void k_strip("));
  CHECK(contains(strip, "load_within_f32x8("));
  CHECK(contains(codegen::gradient_lines_piece(how, *one.windows, "k"), "void k_lines("));
}

TEST_CASE("gradient_pieces: the epilogue runs over all positions of all channels as one loop") {
  const Gradient one({16, 64, 64, 7, 3, 1, 1});
  const auto how = codegen::panels_of(one.kernel, *one.windows, for_avx2());
  CHECK(codegen::joins_rows(how));
  const std::string finish = codegen::rows_piece(how, *one.windows, 288, "k");
  CHECK(count(finish, "for (") == 2);  // over columns, and over rows
}
