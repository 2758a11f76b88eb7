#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/codegen/text/helper_text.hpp>

using namespace sinter;
using namespace sinter::detail;
using codegen::fill_helper;
using codegen::parse_vector_type;

TEST_CASE("helper_text: names of types are read with their lanes") {
  CHECK(parse_vector_type("f32x16").lanes == 16);
  CHECK(parse_vector_type("f32x16").type->c_name == "float");
  CHECK(parse_vector_type("bf16").lanes == 1);
  CHECK(parse_vector_type("u64x2").type->size == 8);
  for (const char* word : {"f33", "f32x", "f32x1", "f32x16y", "x4", ""}) {
    CHECK(parse_vector_type(word).type == nullptr);
  }
}

TEST_CASE("helper_text: placeholders are replaced by the type and related names") {
  CHECK(fill_helper("$T $E $S $N $B $I $J $U $H", parse_vector_type("f32x8")) ==
        "f32x8 float f32x8 8 32 i32x8 int u32x8 f32x4");
  CHECK(fill_helper("$T $S $I $(i64)", parse_vector_type("f64")) == "double f64 long long");
  CHECK(fill_helper("{$L}", parse_vector_type("i32x4")) == "{0, 1, 2, 3}");
  CHECK(fill_helper("{$V}", parse_vector_type("i32x4")) == "{0, 2, 4, 6}");
  CHECK(fill_helper("$$1", parse_vector_type("f32")) == "$1");
}

TEST_CASE("helper_text: suffixes of functions and instructions, and numbers, of both sizes") {
  const std::string_view form = "sin$F(x) v$Op$D fma_$1 $or(1, 2)";
  CHECK(fill_helper(form, parse_vector_type("f32x4"), "row_add") == "sinf(x) vaddps fma_f32 1");
  CHECK(fill_helper(form, parse_vector_type("f64x2"), "add") == "sin(x) vaddpd fma_f64 2");
}

TEST_CASE("helper_text: conversions and repeated numbers differ for numbers and vectors") {
  CHECK(fill_helper("$as(i32, v + 1)", parse_vector_type("f32x4")) ==
        "__builtin_convertvector(v + 1, i32x4)");
  CHECK(fill_helper("$as(i32, (v))", parse_vector_type("f32")) == "(int)((v))");
  CHECK(fill_helper("$k(f32, 1)", parse_vector_type("f32x4")) == "splat_f32x4(1)");
  CHECK(fill_helper("$k(f32, 1)", parse_vector_type("f32")) == "1");
}

TEST_CASE("helper_text: halves of a vector, down to scalars") {
  CHECK(fill_helper("$low(v) $high(v)", parse_vector_type("f32x4")) ==
        "__builtin_shufflevector(v, v, 0, 1) __builtin_shufflevector(v, v, 2, 3)");
  CHECK(fill_helper("$low(v) $high(v)", parse_vector_type("f32x2")) == "v[0] v[1]");
}

TEST_CASE("helper_text: pairs of lanes, and every second lane of two vectors") {
  CHECK(fill_helper("$P; $Q", parse_vector_type("f32x4")) == "0, 4, 1, 5; 2, 6, 3, 7");
  CHECK(fill_helper("$G", parse_vector_type("i32x8")) == "0, 2, 1, 3");
  CHECK(fill_helper("$W", parse_vector_type("f32x4")) == "0, 2, 5, 7");
}

TEST_CASE("helper_text: an unknown placeholder is an InternalError") {
  CHECK_THROWS_AS(fill_helper("$Z", parse_vector_type("f32")), InternalError);
  CHECK_THROWS_AS(fill_helper("$what(v)", parse_vector_type("f32")), InternalError);
}
