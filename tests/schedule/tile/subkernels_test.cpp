#include <doctest/doctest.h>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/tile/subkernels.hpp>

#include "causal_kernel.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
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

TEST_CASE("block_parts: columns are divided where no part reads what a product gives") {
  const auto parts = [](bool before, bool behind, bool keeps) {
    programs::Program p;
    const Value x = p.input({32, 5}), rows = before ? p.softmax(x) : x;
    const Value y =
        p.build.dot_general(rows, p.input({5, 7}), {.lhs_contract = {1}, .rhs_contract = {0}});
    p.graph.outputs = {behind ? p.softmax(y) : y};
    if (keeps) p.graph.outputs.push_back(before ? rows : y);
    const Plan found = plan(p.graph, {.blocks = true});
    REQUIRE(found.kernels.size() == 1);
    return parts_of(found.kernels[0]);
  };
  CHECK(parts(true, false, false).divides());
  CHECK_FALSE(parts(true, false, true).divides());  // each part would write the rows
  CHECK_FALSE(parts(false, true, false).divides());
  CHECK_FALSE(parts(false, true, true).divides());
  CHECK_FALSE(parts(true, true, false).divides());
  const Extent operations = parts(true, false, false).operations_before();
  REQUIRE(operations.is_number());
  CHECK(operations.number() >= 5 * 19);  // of 5 numbers the largest, distances, powers, their sum
  CHECK(operations.number() < 5 * 50);
}

TEST_CASE("block_parts: steps that a mask leaves out belong to rows, whose columns stay together") {
  CHECK(parts_of(causal_kernel()).clips());
  CHECK_FALSE(parts_of(causal_kernel()).divides());
}

TEST_CASE("block_parts: each part counts the checks of those before it") {
  const BlockParts found = parts_of(causal_kernel(false, true));
  REQUIRE(found.parts.size() == 3);
  std::int32_t checks = 0;
  for (const BlockPart& part : found.parts) {
    verify(part.kernel);
    CHECK(part.kernel.checks_before == checks);
    for (const Instruction& one : part.kernel.instructions) checks += can_fault(one) ? 1 : 0;
  }
  CHECK(found.parts[2].kernel.checks_before > 0);
  CHECK(checks > found.parts[2].kernel.checks_before);
}
