#include <doctest/doctest.h>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>

#include "programs.hpp"

using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("host_target: kernels that compute different things share a launch") {
  Program p;
  const auto sum = [&](Op op, int length) {
    return p.build.reduce(Op::sum, p.apply(op, p.input({length})), {0});
  };
  p.graph.outputs = {p.build.sub(sum(Op::exp, 40), sum(Op::neg, 70))};
  CHECK(plan(p.graph, {}).launches.size() == 2);
  CHECK(plan(p.graph, {.target = host_target()}).launches.size() == 1);
}

TEST_CASE("host_target: the last thread combines partial sums") {
  Program p;
  p.graph.outputs = {p.build.reduce(Op::sum, p.input({4096, 40}), {0})};
  const Plan found = plan(p.graph, {.target = host_target()});
  REQUIRE(found.launches.size() == 1);
  CHECK(found.kernels[0].finalizers.size() == 1);
}

TEST_CASE(
    "host_target: blocks of products fit in small caches, and stay as they are in large ones") {
  const CppLimits usual;
  const CppLimits small = host_target({}, {.l2 = 256 << 10, .last_level = 4 << 20}).cpp;
  CHECK(small.panel_bytes == 256 << 10);
  CHECK(small.whole_panel_bytes == 512 << 10);
  CHECK(small.few_sums == usual.few_sums);
  const CppLimits large = host_target({}, {.l2 = 4 << 20, .last_level = 256 << 20}).cpp;
  CHECK(large.panel_bytes == usual.panel_bytes);
  CHECK(large.row_block_bytes == usual.row_block_bytes);
}
