#include <doctest/doctest.h>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/live_out.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("live-out: a group stores outputs and values that others cannot rematerialize") {
  Program p;
  const Value x = p.input({8, 16}), w = p.input({4, 16}), bias = p.input({4});
  const Value hidden = p.linear(x, w, bias), active = p.apply(Op::tanh, hidden);
  const Value y =
      p.build.dot_general(active, p.input({4, 4}), {.lhs_contract = {1}, .rhs_contract = {0}});
  p.graph.outputs = {y};
  const FusionAnalysis facts = analyze_fusion(p.graph);
  const FusionGroups groups = create_fusion_groups(p.graph, facts);
  const LiveOut found = find_live_out(p.graph, facts, groups);
  REQUIRE(found.stored.size() == 2);
  CHECK(found.stored[0] == Vector<NodeId>{active.node});
  CHECK(found.stored[1] == Vector<NodeId>{y.node});
  CHECK(found.in_memory[x.node]);
  CHECK(loads(found, groups, active.node, 1));
  CHECK_FALSE(loads(found, groups, active.node, 0));
}

TEST_CASE("live-out: a group whose values are all inlined elsewhere does not run") {
  Program p;
  const Value x = p.input({8, 16}), cheap = p.build.mul(x, x);
  const Value y = p.build.reduce(Op::max, p.build.permute(cheap, {1, 0}), {1});
  const Value z = p.build.reduce(Op::sum, p.build.flip(cheap, {1}), {1});
  p.graph.outputs = {y, z};
  const FusionAnalysis facts = analyze_fusion(p.graph);
  const FusionGroups groups = create_fusion_groups(p.graph, facts);
  const LiveOut found = find_live_out(p.graph, facts, groups);
  CHECK_FALSE(found.in_memory[cheap.node]);
  Vector<NodeId> stored;
  for (const auto& part : found.stored) stored.insert(stored.end(), part.begin(), part.end());
  CHECK(stored == Vector<NodeId>{y.node, z.node});
}
