#include <doctest/doctest.h>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/tile/subkernels.hpp>

#include "causal_kernel.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using causal::causal_kernel;

TEST_CASE("subkernels: one for each product, and one for the stages between products") {
  const Subkernels found = subkernels_of(causal_kernel(), false);
  REQUIRE(found.kernels.size() == 3);
  CHECK(found.kernels[0].is_product);
  CHECK_FALSE(found.kernels[1].is_product);
  CHECK(found.kernels[2].is_product);
  CHECK(same(found.end, -1));
  for (const Subkernel& part : found.kernels) verify(part.kernel);
}

TEST_CASE("subkernels: columns are shared if no subkernel reads the result of a product") {
  const auto parts = [](bool before, bool behind, bool keeps) {
    programs::Program p;
    const Value x = p.input({32, 5}), rows = before ? p.softmax(x) : x;
    const Value y =
        p.build.dot_general(rows, p.input({5, 7}), {.lhs_contract = {1}, .rhs_contract = {0}});
    p.graph.outputs = {behind ? p.softmax(y) : y};
    if (keeps) p.graph.outputs.push_back(before ? rows : y);
    const Plan found = plan(p.graph, {.row_tiles = true});
    REQUIRE(found.kernels.size() == 1);
    return subkernels_of(found.kernels[0]);
  };
  CHECK(parts(true, false, false).can_share_columns());
  CHECK_FALSE(parts(true, false, true)
                  .can_share_columns());  // each part of the columns would write the rows
  CHECK_FALSE(parts(false, true, false).can_share_columns());
  CHECK_FALSE(parts(false, true, true).can_share_columns());
  CHECK_FALSE(parts(true, true, false).can_share_columns());
  const Extent operations = parts(true, false, false).operations_before();
  REQUIRE(operations.is_number());
  CHECK(operations.number() >=
        5 * 19);  // per 5 elements: maximum, differences, exponentials, their sum
  CHECK(operations.number() < 5 * 50);
}

TEST_CASE("subkernels: clipped loops depend on rows, whose columns are not shared") {
  CHECK(subkernels_of(causal_kernel()).clips());
  CHECK_FALSE(subkernels_of(causal_kernel()).can_share_columns());
}

TEST_CASE("subkernels: each counts the checks of earlier ones") {
  const Subkernels found = subkernels_of(causal_kernel(false, true));
  REQUIRE(found.kernels.size() == 3);
  std::int32_t checks = 0;
  for (const Subkernel& part : found.kernels) {
    verify(part.kernel);
    CHECK(part.kernel.checks_before == checks);
    for (const Instruction& one : part.kernel.instructions) checks += can_fault(one) ? 1 : 0;
  }
  CHECK(found.kernels[2].kernel.checks_before > 0);
  CHECK(checks > found.kernels[2].kernel.checks_before);
}
