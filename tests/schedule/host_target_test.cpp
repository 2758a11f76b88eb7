#include <doctest/doctest.h>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>

#include "programs.hpp"

using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("host_target: kernels that compute different things share a launch") {
  Program p;
  const Value x = p.input({300, 40}), y = p.input({500, 40});
  p.graph.outputs = {p.apply(Op::exp, x), p.apply(Op::neg, y)};
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
