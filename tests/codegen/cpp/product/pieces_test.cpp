#include <doctest/doctest.h>
#include <sinter/codegen/cpp/product/pieces.hpp>

#include <algorithm>

#include "texts.hpp"

using namespace kernels;

namespace {

codegen::EpiloguePiece epilogue_of(std::int64_t depth) {
  Sizes sizes({64, 128, depth}, false);
  const Kernel kernel = product("p", sizes, true, f32, 4, 4);
  const codegen::ProductForm form = *codegen::product_form(kernel, false);
  return codegen::epilogue_piece(codegen::ProductDecision(kernel, form, {}), "p");
}

}  // namespace

TEST_CASE("pieces: the epilogue is a function of rows and columns of a tile") {
  const codegen::EpiloguePiece piece = epilogue_of(32);
  CHECK(contains(piece.text, "void p_finish("));
  CHECK(contains(piece.text, "tanh_f32x16("));
}

TEST_CASE("pieces: rows of the result are prefetched if a tile takes long enough") {
  CHECK(epilogue_of(32).prefetched.empty());
  const auto rows = epilogue_of(128).prefetched;
  CHECK(std::any_of(rows.begin(), rows.end(), [](const codegen::PrefetchedRows& one) {
    return one.is_written && one.argument == 3 && same(one.stride, 128);
  }));
}

TEST_CASE("pieces: operands are packed by functions of their own") {
  Sizes sizes({64, 128, 32}, false);
  const Kernel kernel = product("p", sizes, true, f32, 4, 4);
  const codegen::ProductForm form = *codegen::product_form(kernel, false);
  const codegen::ProductDecision how(kernel, form, {});
  CHECK(contains(codegen::left_piece(how, "p"), "void p_left("));
  CHECK(contains(codegen::right_piece(how, "p"), "void p_right("));
}
