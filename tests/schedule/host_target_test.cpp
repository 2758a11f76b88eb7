#include <doctest/doctest.h>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>

#include "programs.hpp"

using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("host_target: kernels of different work share a launch, and finalizers need none") {
  Program p;
  const Value x = p.input({300, 40}), y = p.input({500});
  p.graph.outputs = {p.apply(Op::exp, x), p.apply(Op::neg, y),
                     p.build.reduce(Op::sum, p.apply(Op::exp, x), {0, 1})};
  const Plan serial = plan(p.graph, {}), host = plan(p.graph, {.target = host_target()});
  CHECK(host.launches.size() < serial.launches.size());
}
