// test: deep
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/nest/packs.hpp>

#include "texts.hpp"

using namespace kernels;

TEST_CASE("cuda_packs: pointwise threads load and store 16 bytes at once") {
  Sizes sizes({1024}, false), wide({1024}, false);
  const std::string text = cuda_text(binary("a", sizes, Op::add, f32));
  CHECK(contains(text, "const f32x4 w0 = load_f32x4(in0 + i0);"));
  CHECK(contains(text, "store_f32x4(out2 + i0, v2_0, v2_1, v2_2, v2_3);"));
  CHECK(contains(cuda_text(binary("a", wide, Op::add, f64)), "load_f64x2("));
}

TEST_CASE("cuda_packs: a thread takes 8 points of 16 bits if there are many and they are cheap") {
  Sizes many({1 << 21}, false), few({1 << 20}, false), odd({(1 << 21) + 4}, false), wide = many;
  const std::string text = cuda_text(binary("a", many, Op::add, bf16));
  CHECK(contains(text, "const u16x8 w0 = load_u16x8(in0 + i0);"));
  CHECK(contains(text, "store_u16x8(out2 + i0, "));
  CHECK(contains(cuda_text(binary("a", few, Op::add, bf16)), "load_u16x4("));
  CHECK(contains(cuda_text(binary("a", odd, Op::add, bf16)), "load_u16x4("));
  CHECK(contains(cuda_text(binary("a", wide, Op::add, f32)), "load_f32x4("));
}

TEST_CASE("cuda_packs: the remainder of a row is computed element by element") {
  Sizes sizes({1023}, false);
  const std::string text = cuda_text(binary("a", sizes, Op::add, f32));
  CHECK(in_order(text, "if (i0 + 4 <= 1023) {", "for (; i0 < 1023; ++i0) {"));
}

TEST_CASE("cuda_packs: elements that are not neighbours are loaded one by one") {
  KernelBuilder b("reversed", VectorAxis::grid);
  const auto x = b.argument(f32, Access::read, 64), y = b.argument(f32, Access::write, 64);
  const Extent i = b.grid(64);
  b.stage();
  b.store(y, i, b.load(x, 63 - i));
  const std::string text = cuda_text(b.kernel);
  CHECK_FALSE(contains(text, "= load_f32x4("));
  CHECK(contains(text, "store_f32x4("));
}

TEST_CASE("cuda_packs: gathered elements are loaded one by one") {
  KernelBuilder b("chosen", VectorAxis::grid);
  const auto table = b.argument(f32, Access::read, 10 * 64);
  const auto at = b.argument(i64, Access::read, 64), y = b.argument(f32, Access::write, 64);
  const Extent i = b.grid(64);
  b.stage();
  const Extent row = b.bind(b.load(at, i), 10, i);
  b.store(y, i, b.load(table, row * 64 + i));
  const std::string text = cuda_text(b.kernel);
  CHECK_FALSE(contains(text, "load_f32x"));
  CHECK(contains(text, "load_i64x2("));
}
