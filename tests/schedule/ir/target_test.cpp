#include <doctest/doctest.h>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/schedule/plan.hpp>

#include "programs.hpp"

using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

TEST_CASE(
    "target: the rewrites of a target are applied in order, unless results have to be exact") {
  Program p;
  const Value x = p.input({10});
  p.graph.outputs = {p.apply(Op::exp, x)};
  Target target;
  target.rewrites = {[](const Graph& graph, const Target&) -> Optional<Graph> {
                       Graph result = graph;
                       result.nodes.back().op = Op::neg;
                       return result;
                     },
                     [](const Graph& graph, const Target&) -> Optional<Graph> {
                       Graph result = graph;
                       if (graph.nodes.back().op == Op::neg) result.nodes.back().op = Op::abs;
                       return result;
                     }};
  const auto op = [&](bool strict) {
    const Plan found = plan(p.graph, {.strict = strict, .target = target});
    return found.kernels[0].instructions[1].op;
  };
  CHECK(op(false) == Op::abs);
  CHECK(op(true) == Op::exp);
}
