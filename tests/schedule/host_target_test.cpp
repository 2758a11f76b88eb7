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
