#include <doctest/doctest.h>
#include <sinter/schedule/fuse/analyze.hpp>
#include <sinter/schedule/gpu_target.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE("analyze: the text has a line for each node that kernels compute") {
  Program p;
  const Value x = p.input({64, 10});
  p.graph.outputs = {p.build.reduce(Op::sum, p.apply(Op::exp, x), {1})};
  const Options options;
  const FusionAnalysis facts = analyze(rewrite(p.graph, options), options.target);
  verify(facts, p.graph);
  CHECK(to_string(facts) ==
        "%1: level 0, uses 1, loads 1, operations 4, expensive, inlined\n"
        "%2: level 0, uses 0, loads 0, operations 0, stored\n");
}

TEST_CASE("analyze: an order that lists a node twice or before its operand is found") {
  Program p;
  p.graph.outputs = {p.apply(Op::exp, p.apply(Op::sin, p.input({4})))};
  const FusionAnalysis facts = analyze_fusion(p.graph);
  verify(facts, p.graph);
  FusionAnalysis swapped = facts, twice = facts;
  std::swap(swapped.order[0], swapped.order[1]);
  twice.order.push_back(twice.order[0]);
  CHECK_THROWS_AS(verify(swapped, p.graph), InternalError);
  CHECK_THROWS_AS(verify(twice, p.graph), InternalError);
}

TEST_CASE("analyze: what is computed from inputs for recomputed scores is inlined") {
  Program p;
  const Value q = p.input({4, 32, 8}), k = p.input({4, 48, 8}), g = p.input({4, 32, 8});
  const Value scores = p.build.dot_general(q, k, {{0}, {0}, {2}, {2}});
  const Value mask = p.apply(Op::sin, p.apply(Op::exp, p.input({4, 32, 48})));
  const Value weights = p.build.mul(p.build.mul(p.softmax(scores), mask), p.apply(Op::exp, mask));
  p.graph.outputs = {p.build.dot_general(weights, k, {{0}, {0}, {2}, {1}}),
                     p.build.dot_general(weights, g, {{0}, {0}, {1}, {1}})};
  const Options gpu{.row_tiles = true, .target = gpu_target()};
  const RewrittenGraph rewritten = rewrite(p.graph, gpu);
  REQUIRE(rewritten.changed);
  const FusionAnalysis facts = analyze(rewritten, gpu.target);
  const FusionAnalysis plain = analyze_fusion(rewritten.graph(), rewritten.after);
  std::size_t more = 0;
  for (std::size_t id = 0; id < facts.nodes.size(); ++id)
    more += facts.nodes[id].inlined && !plain.nodes[id].inlined;
  CHECK(more > 0);
}
