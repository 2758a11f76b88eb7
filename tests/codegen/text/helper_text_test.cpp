#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/codegen/text/helper_text.hpp>

using namespace sinter;
using namespace sinter::detail;
using codegen::fill_helper;
using codegen::laned;

TEST_CASE("helper_text: names of types are read with their lanes") {
  CHECK(laned("f32x16").lanes == 16);
  CHECK(laned("f32x16").type->c_name == "float");
  CHECK(laned("bf16").lanes == 1);
  CHECK(laned("u64x2").type->size == 8);
  for (const char* word : {"f33", "f32x", "f32x1", "f32x16y", "x4", ""}) {
    CHECK(laned(word).type == nullptr);
  }
}

TEST_CASE("helper_text: placeholders stand for the type and what belongs to it") {
  CHECK(fill_helper("$T $E $S $N $B $I $J $U $H", laned("f32x8")) ==
        "f32x8 float f32x8 8 32 i32x8 int u32x8 f32x4");
  CHECK(fill_helper("$T $S $I $(i64)", laned("f64")) == "double f64 long long");
  CHECK(fill_helper("{$L}", laned("i32x4")) == "{0, 1, 2, 3}");
  CHECK(fill_helper("{$V}", laned("i32x4")) == "{0, 2, 4, 6}");
  CHECK(fill_helper("$$1", laned("f32")) == "$1");
}

TEST_CASE("helper_text: conversions and repeated numbers differ for numbers and vectors") {
  CHECK(fill_helper("$as(i32, v + 1)", laned("f32x4")) == "__builtin_convertvector(v + 1, i32x4)");
  CHECK(fill_helper("$as(i32, (v))", laned("f32")) == "(int)((v))");
  CHECK(fill_helper("$k(f32, 1)", laned("f32x4")) == "splat_f32x4(1)");
  CHECK(fill_helper("$k(f32, 1)", laned("f32")) == "1");
}

TEST_CASE("helper_text: halves of a vector, down to its numbers") {
  CHECK(fill_helper("$low(v) $high(v)", laned("f32x4")) ==
        "__builtin_shufflevector(v, v, 0, 1) __builtin_shufflevector(v, v, 2, 3)");
  CHECK(fill_helper("$low(v) $high(v)", laned("f32x2")) == "v[0] v[1]");
}

TEST_CASE("helper_text: an unknown placeholder is a fault of ours") {
  CHECK_THROWS_AS(fill_helper("$Q", laned("f32")), InternalError);
  CHECK_THROWS_AS(fill_helper("$what(v)", laned("f32")), InternalError);
}
