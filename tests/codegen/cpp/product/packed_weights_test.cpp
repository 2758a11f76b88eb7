#include <doctest/doctest.h>
#include <sinter/codegen/cpp/product/decision.hpp>
#include <sinter/codegen/cpp/product/packed_weights.hpp>

#include "texts.hpp"

using namespace kernels;

TEST_CASE("packed_weights: panels of an argument that is the same for many calls outlast a call") {
  Sizes sizes({64, 128, 32}, false);
  Kernel kernel = product("p", sizes, true, f32, 4, 4);
  const codegen::ProductForm form = *codegen::product_form(kernel, false);
  const codegen::ProductDecision changing(kernel, form, {});
  CHECK(codegen::steady_source(changing) == -1);
  CHECK(codegen::lasting_of(changing, -1).input == -1);

  kernel.arguments[1].steady = true;
  const codegen::ProductDecision how(kernel, form, {});
  CHECK(codegen::steady_source(how) == 1);
  CHECK(how.lasting == 1);
  const schedule::Kept kept = codegen::lasting_of(how, 1);
  CHECK(kept.input == 1);
  CHECK(kept.bytes == codegen::detail::lasting_head + 128 * 32 * 4);
}

TEST_CASE("packed_weights: a caller keeps whole panels of the largest product") {
  Sizes sizes({64, 128, 32}, false);
  const Kernel kernel = product("p", sizes, true, f32, 4, 4);
  const codegen::ProductForm form = *codegen::product_form(kernel, false);
  const codegen::ProductDecision how(kernel, form, {}, {.buffer = 4, .depth = 32, .columns = 100});
  CHECK(how.keeps());
  CHECK(same(codegen::kept_elements(how), 128 * 32));
}
