#include <doctest/doctest.h>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/schedule/named_target.hpp>

#include "texts.hpp"

using namespace kernels;

TEST_CASE("options: the vectors of a text have the requested width") {
  Sizes first({8, 64}, false), second({8, 64}, false), third({8, 64}, false);
  CHECK(contains(cpp_text(bias_relu("b", first, f32)), "f32x16"));
  const std::string narrow =
      cpp_text(bias_relu("b", second, f32), {.target = {.vectors = {.bits = 256}}});
  CHECK(contains(narrow, "f32x8"));
  CHECK_FALSE(contains(narrow, "f32x16"));
  CHECK_FALSE(
      contains(cpp_text(bias_relu("b", third, f32), {.target = {.vectors = {.bits = 0}}}), "f32x"));
}

TEST_CASE("options: kernels for other hosts are written on any machine") {
  const auto text_for = [](const char* name) {
    Sizes sizes({64, 96, 64}, false);
    return cpp_text(product("p", sizes, false, f32, 4, 2),
                    {.target = schedule::Target::named(name)});
  };
  CHECK(contains(text_for("avx2"), "f32x8"));
  CHECK_FALSE(contains(text_for("avx2"), "f32x16"));
  CHECK(contains(text_for("avx512"), "f32x16"));
  CHECK_FALSE(contains(text_for("scalar"), "f32x"));
}

TEST_CASE("options: a target with AMX multiplies bf16 in tiles of it") {
  Sizes first({64, 128, 64}, false), second({64, 128, 64}, false);
  const auto text_for = [](Sizes& sizes, const char* name) {
    const Kernel kernel = product("p", sizes, false, bf16, 4, 2);
    const codegen::CppOptions options{.target = schedule::Target::named(name)};
    const Source source = codegen::emit_cpp(kernel, options);
    return codegen::cpp_prelude({&source, 1}) + source.text;
  };
  CHECK(contains(text_for(first, "amx"), "tdpbf16ps"));
  CHECK_FALSE(contains(text_for(second, "avx512"), "tdpbf16ps"));
}
