// The helpers that are printed before kernels, in both languages.
#include <doctest/doctest.h>
#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/codegen/cuda/emit_cuda.hpp>

#include "texts.hpp"

using namespace kernels;

namespace {

std::string prelude_of(const std::string& words, Language language = Language::cpp) {
  const Source source{language, "", words, {}};
  return language == Language::cpp ? codegen::cpp_prelude({&source, 1})
                                   : codegen::cuda_prelude({&source, 1});
}

}  // namespace

TEST_CASE("prelude: prints the helpers that are named, after those that they call") {
  const std::string text = prelude_of("const f32x16 v1 = exp_f32x16(v0);");
  CHECK(in_order(text, "typedef float f32x16", "f32x16 exp_f32x16("));
  CHECK(in_order(text, "f32x16 scale_f32x16(", "f32x16 exp_f32x16("));
  CHECK_FALSE(contains(text, "sin_f32"));
  CHECK_FALSE(contains(text, "f32x8"));
}

TEST_CASE("prelude: each helper is printed once") {
  CHECK(count(prelude_of("scale_f32x16 exp_f32x16 scale_f32x16"), " exp_f32x16(f32x16 x) {") == 1);
}

TEST_CASE("prelude: functions of one number are applied lane by lane where there is no vector") {
  CHECK(contains(prelude_of("remainder_f64x8"), "r[i] = remainder_f64(a[i], b[i]);"));
}

TEST_CASE("prelude: a call of a helper is a separate function") {
  const std::string text = prelude_of("call_exp_f32x16");
  CHECK(in_order(text, "INLINE f32x16 exp_f32x16(",
                 "__attribute__((noinline)) f32x16 call_exp_f32x16("));
}

TEST_CASE("prelude: words that are not helpers are ignored") {
  CHECK(prelude_of("v12 in0 lanes f32y f32x f32x1 sum_ _f32 exp_f99") == prelude_of(""));
}

TEST_CASE("prelude: the text does not depend on earlier ones") {
  const std::string words = "sin_f64x8 softmax load_part_f32x16 random_i32x16";
  CHECK(prelude_of(words) == prelude_of(words));
}

TEST_CASE("prelude: CUDA has structs where C++ has vectors") {
  CHECK(contains(prelude_of("f32x4", Language::cuda), "struct __align__(16) f32x4"));
}
