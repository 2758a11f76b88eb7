#include <doctest/doctest.h>
#include <sinter/codegen/cpp/nest/options.hpp>

#include "texts.hpp"

using namespace kernels;

TEST_CASE("options: the vectors of a text have the requested width") {
  Sizes first({8, 64}, false), second({8, 64}, false), third({8, 64}, false);
  CHECK(contains(cpp_text(bias_relu("b", first, f32)), "f32x16"));
  const std::string narrow = cpp_text(bias_relu("b", second, f32), {.vector_bits = 256});
  CHECK(contains(narrow, "f32x8"));
  CHECK_FALSE(contains(narrow, "f32x16"));
  CHECK_FALSE(contains(cpp_text(bias_relu("b", third, f32), {.vector_bits = 0}), "f32x"));
}
