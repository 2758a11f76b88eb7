#include <doctest/doctest.h>
#include <sinter/schedule/joint.hpp>
#include <sinter/schedule/plan.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::schedule;
using programs::Program;

namespace {

// x + sin(x) of vectors of these lengths, each of which is updated.
Graph updates_of(const std::vector<Extent>& lengths) {
  Program p;
  for (const Extent length : lengths) {
    const Value x = p.input({length});
    p.graph.outputs.push_back(p.build.add(x, p.apply(Op::sin, x)));
  }
  return p.graph;
}

Options options_of(const Graph& graph) {
  Options result{.host = true};
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(graph.outputs.size()); ++i) {
    result.updates.push_back({i, i});
  }
  return result;
}

}  // namespace

TEST_CASE("joint: kernels over other sizes are one launch of one text, one element included") {
  const Graph graph = updates_of({24, 1, 7, 0, 7});
  const Plan plan = schedule::plan(graph, options_of(graph));
  REQUIRE(plan.launches.size() == 1);
  CHECK(plan.launches[0].entries.size() == 5);
  CHECK(kernels_of(plan.launches[0]).size() <= 2);
  CHECK(plan.launches[0].bytes_written.number() == 4 * (24 + 1 + 7 + 7));
  against_interpreter::check(graph, {}, 1, options_of(graph));
}

TEST_CASE("joint: kernels over equal sizes keep their numbers") {
  const Graph graph = updates_of({24, 24, 24});
  const Plan plan = schedule::plan(graph, options_of(graph));
  REQUIRE(plan.launches.size() == 1);
  CHECK(plan.kernels.size() == 1);
  CHECK(plan.kernels[0].symbols.empty());
  against_interpreter::check(graph, {}, 2, options_of(graph));
}

TEST_CASE("joint: symbols and numbers share a text") {
  const Extent s0 = Extent::symbol(0), s1 = Extent::symbol(1);
  const Graph graph = updates_of({s0, 24, s1 * 3});
  const Plan plan = schedule::plan(graph, options_of(graph));
  REQUIRE(plan.launches.size() == 1);
  CHECK(plan.kernels.size() == 1);
  CHECK(text(plan.launches[0].sizes) == "[s0, 24, 3*s1]");
  against_interpreter::check(graph, {5, 9}, 3, options_of(graph));
}

TEST_CASE("joint: without threads that share memory each kernel has a launch") {
  const Graph graph = updates_of({24, 7});
  CHECK(schedule::plan(graph, {}).launches.size() == 2);
}

TEST_CASE("joint: values that pass through the arena live at the same time") {
  Program p;
  std::vector<Value> sums;
  for (const int length : {40, 70, 40}) {
    sums.push_back(p.build.reduce(Op::sum, p.apply(Op::exp, p.input({length})), {0}));
  }
  p.graph.outputs = {p.build.mul(p.build.sub(sums[0], sums[1]), sums[2])};
  const Plan plan = schedule::plan(p.graph, {.host = true});
  CHECK(plan.launches.size() == 1);
  against_interpreter::check(p.graph, {}, 4, {.host = true});
}
