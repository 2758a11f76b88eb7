#include <doctest/doctest.h>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/launch/batched.hpp>
#include <sinter/schedule/plan.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
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
  Options result{.target = host_target()};
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(graph.outputs.size()); ++i) {
    result.updates.push_back({i, i});
  }
  return result;
}

}  // namespace

TEST_CASE("batched launch: kernels over different sizes share a text, one element included") {
  const Graph graph = updates_of({24, 1, 7, 0, 7});
  const Plan plan = schedule::plan(graph, options_of(graph));
  REQUIRE(plan.launches.size() == 1);
  CHECK(plan.launches[0].entries.size() == 5);
  CHECK(kernels_of(plan.launches[0]).size() <= 2);
  CHECK(plan.launches[0].bytes_written.number() == 4 * (24 + 1 + 7 + 7));
  against_interpreter::check(graph, {}, 1, options_of(graph));
}

TEST_CASE("batched launch: kernels over equal sizes keep constant sizes") {
  const Graph graph = updates_of({24, 24, 24});
  const Plan plan = schedule::plan(graph, options_of(graph));
  REQUIRE(plan.launches.size() == 1);
  CHECK(plan.kernels.size() == 1);
  CHECK(plan.kernels[0].symbols.empty());
  against_interpreter::check(graph, {}, 2, options_of(graph));
}

TEST_CASE("batched launch: symbolic and constant sizes share a text") {
  const Extent s0 = Extent::symbol(0), s1 = Extent::symbol(1);
  const Graph graph = updates_of({s0, 24, s1 * 3});
  const Plan plan = schedule::plan(graph, options_of(graph));
  REQUIRE(plan.launches.size() == 1);
  CHECK(plan.kernels.size() == 1);
  CHECK(text(plan.launches[0].sizes) == "[s0, 24, 3*s1]");
  against_interpreter::check(graph, {5, 9}, 3, options_of(graph));
}

TEST_CASE("batched launch: without threads that share memory each kernel has a launch") {
  const Graph graph = updates_of({24, 7});
  CHECK(schedule::plan(graph, {}).launches.size() == 2);
}

TEST_CASE("batched launch: values that pass through the arena are live at the same time") {
  Program p;
  Vector<Value> sums;
  for (const int length : {40, 70, 40}) {
    sums.push_back(p.build.reduce(Op::sum, p.apply(Op::exp, p.input({length})), {0}));
  }
  p.graph.outputs = {p.build.mul(p.build.sub(sums[0], sums[1]), sums[2])};
  const Plan plan = schedule::plan(p.graph, {.target = host_target()});
  CHECK(plan.launches.size() == 1);
  against_interpreter::check(p.graph, {}, 4, {.target = host_target()});
}

TEST_CASE("batched launch: on a GPU it has blocks for each kernel, whose text counts in 32 bits") {
  const Graph graph = updates_of({24, 1, 7, 0, 7});
  Options options = options_of(graph);
  options.target = gpu_target();
  const Plan plan = schedule::plan(graph, options);
  REQUIRE(plan.launches.size() == 1);
  CHECK(plan.launches[0].entries.size() == 5);
  REQUIRE(plan.kernels.size() == 1);
  CHECK(plan.kernels[0].batch_capacity == 8);
  CHECK(table_words_per_kernel(plan.kernels[0]) == 4);
  CHECK(table_words(plan.kernels[0]) == 33);
  CHECK(plan.kernels[0].symbols[0].symbol_info().max < 1 << 30);
  CHECK(text(plan.launches[0].sizes) == "[24, 1, 7, 0, 7]");
}

TEST_CASE("batched launch: on a GPU, kernels beyond the size of the table go to another launch") {
  const Graph graph = updates_of(std::vector<Extent>(300, 24));
  Options options = options_of(graph);
  options.target = gpu_target();
  const Plan plan = schedule::plan(graph, options);
  REQUIRE(plan.launches.size() == 2);
  CHECK(plan.kernels.size() == 1);
  CHECK(plan.launches[0].entries.size() == 170);
  CHECK(plan.launches[1].entries.size() == 130);
}

TEST_CASE("batched launch: on a GPU, the batch capacity depends on the size of the arguments") {
  const Graph graph = updates_of(std::vector<Extent>(1400, 24));
  Options options = options_of(graph);
  options.target = gpu_target({.argument_bytes = 32764});
  const Plan plan = schedule::plan(graph, options);
  REQUIRE(plan.launches.size() == 2);
  CHECK(plan.launches[0].entries.size() == 1364);
  REQUIRE(plan.kernels.size() == 1);
  CHECK(8 * table_words(plan.kernels[0]) == 32744);
}

TEST_CASE("batched launch: verify refuses more kernels than the batch capacity") {
  const Graph graph = updates_of({24, 7});
  Options options = options_of(graph);
  options.target = gpu_target();
  Plan plan = schedule::plan(graph, options);
  REQUIRE(plan.kernels.size() == 1);
  verify(plan);
  plan.kernels[0].batch_capacity = 1;
  CHECK_THROWS_AS(verify(plan), InternalError);
}

TEST_CASE("batched launch: products of a GPU, and rows that its threads share, are not batched") {
  Program p;
  const Value a = p.input({40, 40}), b = p.input({40, 40}), c = p.input({30, 40});
  p.graph.outputs = {p.build.reduce(Op::sum, p.apply(Op::exp, a), {1}),
                     p.build.reduce(Op::sum, p.apply(Op::exp, b), {1}),
                     p.build.reduce(Op::sum, p.apply(Op::exp, c), {1})};
  const Plan plan = schedule::plan(p.graph, {.target = gpu_target()});
  REQUIRE(plan.launches.size() == 2);
  for (const Kernel& kernel : plan.kernels) CHECK(kernel.symbols.empty());
}
