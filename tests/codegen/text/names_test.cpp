#include <doctest/doctest.h>
#include <sinter/codegen/text/names.hpp>

#include "texts.hpp"

using namespace kernels;

TEST_CASE("names: the widest computed dtype determines the number of lanes") {
  Sizes one({64}, false), two({64}, false), three({64}, false), four({64, 64}, false);
  CHECK(codegen::lane_bytes(unary_chain("a", one, Op::exp, Op::exp, f32)) == 4);
  CHECK(codegen::lane_bytes(unary_chain("b", two, Op::exp, Op::exp, f64)) == 8);
  CHECK(codegen::lane_bytes(binary("c", three, Op::add, i64)) == 8);
  CHECK(codegen::lane_bytes(mixed("d", four)) == 8);  // i64 beside f32
}

TEST_CASE("names: a number that is the same in all lanes does not determine their number") {
  KernelBuilder b("scaled", VectorAxis::grid);
  const auto x = b.argument(f32, Access::read, 64), scale = b.argument(f64, Access::read, 1);
  const auto y = b.argument(f32, Access::write, 64);
  const Extent i = b.grid(64);
  b.stage();
  const ValueId factor = b.compute(Op::cast, f32, {b.load(scale, 0)});
  b.store(y, i, b.compute(Op::mul, f32, {b.load(x, i), factor}));
  CHECK(codegen::lane_bytes(b.kernel) == 4);
}

TEST_CASE("names: arguments, sizes, loops and values have names that do not depend on ids") {
  Sizes sizes({8, 16}, true);
  const std::string text = cpp_text(softmax("softmax", sizes, f32));
  for (const char* name : {"in0", "out1", "row2", "n0", "n1", "i0", "k0", "v0"}) {
    CHECK(contains(text, name));
  }
}

TEST_CASE("names: proven parts of a guard are not tested") {
  KernelBuilder b("guarded", VectorAxis::grid);
  const auto x = b.argument(f32, Access::read, 64), y = b.argument(f32, Access::write, 64);
  const Extent i = b.grid(64);
  b.stage();
  b.store(y, i, b.load(x, i, {{i, 0, 64}}));
  CHECK_FALSE(contains(cpp_text(b.kernel), "?"));
}

TEST_CASE("names: unrolled copies are named by the loops that they depend on") {
  Sizes sizes({8, 64, 32}, false);
  Kernel one = product("product", sizes, false, f32, 4, 2);
  one.serial = true;  // otherwise it would be emitted as a product
  const std::string text = cpp_text(one);
  CHECK(contains(text, "v0_3 = "));    // x[i, k]: four rows
  CHECK(contains(text, "v1_1 = "));    // w[k, j]: two columns
  CHECK(contains(text, "v2_3_1 = "));  // their products
  CHECK(count(text, " v0_3 = ") == 1);
}
