#include <doctest/doctest.h>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/plan.hpp>

#include "programs.hpp"

using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("gpu_target: launches share a text, and as many runs as their arguments have room for") {
  Program p;
  for (int i = 0; i < 40; ++i) p.graph.outputs.push_back(p.apply(Op::exp, p.input({100})));
  CHECK(plan(p.graph, {}).launches.size() == 40);
  CHECK(plan(p.graph, {.target = gpu_target()}).launches.size() == 1);
  CHECK(plan(p.graph, {.target = gpu_target({.argument_bytes = 256})}).launches.size() == 4);
}
