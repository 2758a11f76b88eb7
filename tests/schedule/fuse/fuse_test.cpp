#include <doctest/doctest.h>
#include <sinter/schedule/fuse/fuse.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("fuse: a softmax is one group of rows, which stores its result alone") {
  Program p;
  p.graph.outputs = {p.softmax(p.input({64, 10}))};
  const FusionAnalysis facts = analyze_fusion(p.graph);
  const Target target;
  const FusionResult fusion = fuse(p.graph, facts, target);
  verify(fusion);
  const std::string output = " %" + std::to_string(p.graph.outputs[0].node);
  const std::string text = to_string(fusion);
  CHECK(text.find("rows [64, 10] x [10]: ") != std::string::npos);
  CHECK(text.find("; stores" + output + "\n") != std::string::npos);
}

TEST_CASE("fuse: groups that list a node of another group, or load too early, are found") {
  Program p;
  const Value x = p.input({8, 8});
  const Value product = p.build.dot_general(x, x, {.lhs_contract = {1}, .rhs_contract = {1}});
  p.graph.outputs = {p.build.dot_general(p.apply(Op::exp, product), x,
                                         {.lhs_contract = {1}, .rhs_contract = {1}})};
  const FusionAnalysis facts = analyze_fusion(p.graph);
  const Target target;
  const FusionResult fusion = fuse(p.graph, facts, target);
  verify(fusion);
  FusionResult forgotten = fusion;
  forgotten.live_out.in_memory.assign(p.graph.nodes.size(), false);
  CHECK_THROWS_AS(verify(forgotten), InternalError);
  FusionResult moved = fusion;
  moved.groups.placements[product.node].group = 7;
  CHECK_THROWS_AS(verify(moved), InternalError);
}
