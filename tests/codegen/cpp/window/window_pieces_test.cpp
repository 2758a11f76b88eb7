#include <doctest/doctest.h>
#include <sinter/codegen/cpp/window/window_pieces.hpp>

#include "cpp/window/convolutions.hpp"

using namespace kernels;

namespace {

std::string strip_of(const Image& image) {
  const Convolution one(image);
  const auto how = codegen::weights_of(one.kernel, *one.windows, for_avx2());
  return codegen::strip_piece(how, *one.windows, "k");
}

}  // namespace

TEST_CASE("window_pieces: a strip is padded while it is staged") {
  const std::string padded = strip_of({1, 64, 64, 56, 3, 1, 1});
  CHECK(contains(padded, "void k_strip("));
  CHECK(contains(padded, "load_within_f32x8("));
  CHECK_FALSE(contains(strip_of({1, 64, 64, 56, 3, 1, 0}), "load_within_f32x8("));
}

TEST_CASE("window_pieces: the epilogue runs over the points of contiguous lines") {
  const Convolution one({1, 64, 64, 7, 3, 1, 1});
  const auto how = codegen::weights_of(one.kernel, *one.windows, for_avx2());
  CHECK(codegen::joins_lines(how, *one.windows));
  const std::string finish = codegen::lines_piece(how, *one.windows, "k");
  CHECK(contains(finish, "void k_finish("));
  CHECK(count(finish, "for (") == 2);  // over channels, and over points of all lines
}
