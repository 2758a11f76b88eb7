#include <doctest/doctest.h>
#include <sinter/schedule/block_parts.hpp>

#include "causal_kernel.hpp"

using namespace sinter;
using namespace sinter::schedule;
using causal::causal_kernel;

TEST_CASE("block_parts: a part for each product, and one for all that lies between") {
  const BlockParts found = parts_of(causal_kernel(), false);
  REQUIRE(found.parts.size() == 3);
  CHECK(found.parts[0].is_product);
  CHECK_FALSE(found.parts[1].is_product);
  CHECK(found.parts[2].is_product);
  CHECK(same(found.end, -1));
  for (const BlockPart& part : found.parts) verify(part.kernel);
}
