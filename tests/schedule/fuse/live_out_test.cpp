#include <doctest/doctest.h>
#include <sinter/schedule/fuse/builder.hpp>
#include <sinter/schedule/fuse/live_out.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("demand: a cluster stores outputs and what others cannot compute again") {
  Program p;
  const Value x = p.input({8, 16}), w = p.input({4, 16}), bias = p.input({4});
  const Value hidden = p.linear(x, w, bias), active = p.apply(Op::tanh, hidden);
  const Value y =
      p.build.dot_general(active, p.input({4, 4}), {.lhs_contract = {1}, .rhs_contract = {0}});
  p.graph.outputs = {y};
  const Survey facts = survey(p.graph);
  const Clusters clusters = cluster(p.graph, facts);
  const Demand found = demand(p.graph, facts, clusters);
  REQUIRE(found.stored.size() == 2);
  CHECK(found.stored[0] == std::vector<NodeId>{active.node});
  CHECK(found.stored[1] == std::vector<NodeId>{y.node});
  CHECK(found.in_memory[x.node]);
  CHECK(loads(found, clusters, active.node, 1));
  CHECK_FALSE(loads(found, clusters, active.node, 0));
}

TEST_CASE("demand: a cluster whose values are all inlined elsewhere does not run") {
  Program p;
  const Value x = p.input({8, 16}), cheap = p.build.mul(x, x);
  const Value y = p.build.reduce(Op::max, p.build.permute(cheap, {1, 0}), {1});
  const Value z = p.build.reduce(Op::sum, p.build.flip(cheap, {1}), {1});
  p.graph.outputs = {y, z};
  const Survey facts = survey(p.graph);
  const Clusters clusters = cluster(p.graph, facts);
  const Demand found = demand(p.graph, facts, clusters);
  CHECK_FALSE(found.in_memory[cheap.node]);
  std::vector<NodeId> stored;
  for (const auto& part : found.stored) stored.insert(stored.end(), part.begin(), part.end());
  CHECK(stored == std::vector<NodeId>{y.node, z.node});
}
