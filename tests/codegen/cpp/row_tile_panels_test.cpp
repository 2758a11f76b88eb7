#include <doctest/doctest.h>
#include <sinter/codegen/cpp/row_tile_panels.hpp>
#include <sinter/symbol/solve/variables.hpp>

#include "schedule/causal_kernel.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

codegen::SharedPanels panels_of(const schedule::Subkernels& parts, std::size_t part) {
  const auto form = codegen::product_form(parts.kernels[part].kernel, false);
  REQUIRE(form);
  return codegen::shared_panels(parts, part, *form);
}

}  // namespace

TEST_CASE(
    "row_tile_panels: panels that all row tiles read are shared, as deep as the last tile needs") {
  const schedule::Subkernels parts = schedule::subkernels_of(causal::causal_kernel());
  REQUIRE(parts.clips());
  const Extent last = parts.symbols.back();
  const codegen::SharedPanels keys = panels_of(parts, 0), values = panels_of(parts, 2);
  CHECK(keys.buffer == static_cast<std::int32_t>(parts.kernels[0].arguments.size()));
  CHECK(depends_on(keys.columns, last));
  CHECK_FALSE(depends_on(keys.depth, last));
  CHECK(depends_on(values.depth, last));
}

TEST_CASE("row_tile_panels: a subkernel with shared panels has a function that packs them") {
  const schedule::Subkernels parts = schedule::subkernels_of(causal::causal_kernel());
  const auto found = codegen::subkernel_text(parts, 0, 0, "scores", {});
  CHECK_FALSE(same(found.panels, 0));
  CHECK(found.dtype == f32);
  CHECK_FALSE(found.per_outer);  // there is no outer loop
  CHECK(found.text.find("void scores_pack(") != std::string::npos);
  const auto rows = codegen::subkernel_text(parts, 1, 0, "rows", {});
  CHECK(same(rows.panels, 0));
  CHECK(rows.text.find("_pack(void* const*") == std::string::npos);
}
