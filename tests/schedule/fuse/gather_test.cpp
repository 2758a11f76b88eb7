#include <doctest/doctest.h>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/gather.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

FusionGroups groups_of(Program& program, Vector<Value> outputs) {
  program.graph.outputs = std::move(outputs);
  return create_fusion_groups(program.graph, analyze_fusion(program.graph));
}

std::int32_t group_of(const FusionGroups& groups, Value value) {
  return groups.placements[value.node].group;
}

}  // namespace

TEST_CASE("fusion groups: a value read at indices known only at run time is computed before") {
  Program p;
  const Value x = p.input({8}), expensive = p.apply(Op::exp, x), at = p.input({4}, i64);
  const Value y = p.build.gather(expensive, at, 0);
  const FusionGroups found = groups_of(p, {y});
  CHECK(group_of(found, expensive) < group_of(found, y));
}

TEST_CASE("gather: reads the element that an argmax found") {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {40}});
  const Value at = build.reshape(build.reduce(Op::argmax, x, {0}), {1});
  graph.outputs = {build.gather(x, at, 0)};
  against_interpreter::check(graph, {}, 1);
}
