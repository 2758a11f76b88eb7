#include <doctest/doctest.h>
#include <sinter/schedule/explain.hpp>

#include "programs.hpp"

using namespace sinter;
using namespace sinter::schedule;
using programs::Program;

TEST_CASE(
    "explain: a line for each kernel, and one for each value that it loads, with the reason") {
  Program p;
  const Value x = p.input({8, 16}), w = p.input({4, 16});
  const Value hidden = p.apply(Op::tanh, x);
  const Value y = p.build.dot_general(hidden, w, {.lhs_contract = {1}, .rhs_contract = {1}});
  p.graph.outputs = {p.build.reduce(Op::sum, y, {1})};
  const Survey facts = survey(p.graph);
  const Clusters clusters = cluster(p.graph, facts);
  CHECK(explain(p.graph, clusters, demand(p.graph, facts, clusters)) ==
        std::vector<std::string>{
            "[8, 16]: tanh", "[8, 4] x [16]: dot_general",
            "  loads tanh: a product reads each element many times", "[8] x [4]: sum",
            "  loads dot_general: computed over [8, 4] x [16], read over [8] x [4]"});
}
