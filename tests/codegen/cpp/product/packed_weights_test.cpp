#include <doctest/doctest.h>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/cpp/product/packed_weights.hpp>

#include "texts.hpp"

using namespace kernels;

TEST_CASE("packed_weights: panels of a call-invariant argument are kept between calls") {
  Sizes sizes({64, 128, 32}, false);
  Kernel kernel = product("p", sizes, true, f32, 4, 4);
  const codegen::ProductForm form = *codegen::product_form(kernel, false);
  const codegen::ProductDecision changing(kernel, form, {});
  CHECK(codegen::call_invariant_argument(changing) == -1);
  CHECK(codegen::packed_input_of(changing, -1).input == -1);

  kernel.arguments[1].call_invariant = true;
  const codegen::ProductDecision how(kernel, form, {});
  CHECK(codegen::call_invariant_argument(how) == 1);
  CHECK(how.packed_argument == 1);
  const schedule::PackedInput kept = codegen::packed_input_of(how, 1);
  CHECK(kept.input == 1);
  CHECK(kept.bytes == codegen::detail::packed_header_bytes + 128 * 32 * 4);
}

TEST_CASE("packed_weights: a caller keeps whole panels of the largest product") {
  Sizes sizes({64, 128, 32}, false);
  const Kernel kernel = product("p", sizes, true, f32, 4, 4);
  const codegen::ProductForm form = *codegen::product_form(kernel, false);
  const codegen::ProductDecision how(kernel, form, {}, {.buffer = 4, .depth = 32, .columns = 100});
  CHECK(how.has_shared_panels());
  CHECK(same(codegen::shared_panel_elements(how), 128 * 32));
}
