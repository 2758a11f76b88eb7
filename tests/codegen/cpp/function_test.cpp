#include <doctest/doctest.h>
#include <sinter/codegen/cpp/function.hpp>
#include <sinter/schedule/tile/subkernels.hpp>

#include "schedule/causal_kernel.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("function: a row tile, and each of its parts, is written by the same call") {
  const Kernel kernel = causal::causal_kernel();
  CHECK(contains(codegen::cpp_function(kernel, "rows", {}), "rows_part0("));
  const Kernel part = schedule::subkernels_of(kernel).kernels[1].kernel;
  const std::string text = codegen::cpp_function(part, "rows", {});
  CHECK(contains(text, "extern \"C\" void rows("));
  CHECK_FALSE(contains(text, "rows_part0("));
}

TEST_CASE("function: its caller decides its linkage") {
  Sizes sizes({8, 64}, false);
  const Kernel kernel = bias_relu("b", sizes, f32);
  const std::string text = codegen::cpp_function(kernel, "b", {}, codegen::Linkage::internal);
  CHECK(contains(text, "static void b("));
  CHECK_FALSE(contains(text, "extern"));
}

TEST_CASE("function: a product keeps the panels of a call-invariant argument") {
  Sizes sizes({64, 128, 32}, false);
  Kernel kernel = product("p", sizes, true, f32, 4, 4);
  CHECK(codegen::packed_inputs_of(kernel, {}).empty());
  kernel.arguments[1].call_invariant = true;
  const auto kept = codegen::packed_inputs_of(kernel, {});
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].input == 1);
  CHECK(kept[0].bytes >= 128 * 32 * 4);
}
