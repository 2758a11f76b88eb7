#include <doctest/doctest.h>
#include <sinter/schedule/fuse/fuse.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/launch/launch.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("launch: kernels become finalizers of others only if the target has these") {
  Program p;
  const Value x = p.input({1 << 16});
  const Value parts = p.build.reduce(Op::sum, p.build.reshape(x, {256, 256}), {1});
  p.graph.outputs = {p.build.reduce(Op::sum, parts, {0})};
  for (const bool finalizers : {false, true}) {
    Options options;
    options.target.finalizers = finalizers;
    const FusionAnalysis facts = analyze_fusion(p.graph);
    const FusionResult fusion = fuse(p.graph, facts, options.target);
    const Plan plan = launch(p.graph, lower_all(fusion), options);
    CHECK(plan.launches.size() == (finalizers ? 1 : 2));
  }
}
