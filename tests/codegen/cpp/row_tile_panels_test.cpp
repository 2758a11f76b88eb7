#include <doctest/doctest.h>
#include <sinter/codegen/cpp/row_tile_panels.hpp>
#include <sinter/symbol/solve/variables.hpp>

#include "schedule/causal_kernel.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

codegen::KeptPanels kept_of(const schedule::BlockParts& parts, std::size_t part) {
  const auto form = codegen::product_form(parts.parts[part].kernel, false);
  REQUIRE(form);
  return codegen::kept_panels(parts, part, *form);
}

}  // namespace

TEST_CASE("block_panels: what all blocks read can be kept, as deep as the last block needs it") {
  const schedule::BlockParts parts = schedule::parts_of(causal::causal_kernel());
  REQUIRE(parts.clips());
  const Extent last = parts.symbols.back();
  const codegen::KeptPanels keys = kept_of(parts, 0), values = kept_of(parts, 2);
  CHECK(keys.buffer == static_cast<std::int32_t>(parts.parts[0].arguments.size()));
  CHECK(depends_on(keys.columns, last));
  CHECK_FALSE(depends_on(keys.depth, last));
  CHECK(depends_on(values.depth, last));
}

TEST_CASE("block_panels: a part that keeps panels has a function that packs them") {
  const schedule::BlockParts parts = schedule::parts_of(causal::causal_kernel());
  const auto found = codegen::part_text(parts, 0, 0, "scores", {});
  CHECK_FALSE(same(found.panels, 0));
  CHECK(found.dtype == f32);
  CHECK_FALSE(found.per_outer);  // there is no outer loop
  CHECK(found.text.find("void scores_pack(") != std::string::npos);
  const auto rows = codegen::part_text(parts, 1, 0, "rows", {});
  CHECK(same(rows.panels, 0));
  CHECK(rows.text.find("_pack(void* const*") == std::string::npos);
}
