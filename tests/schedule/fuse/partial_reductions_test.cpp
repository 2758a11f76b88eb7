#include <doctest/doctest.h>
#include <sinter/schedule/fuse/partial_reductions.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

const Extent rows = Extent::symbol(0, {.min = 0});

// The number of launches on the host. Checks the results against the interpreter.
std::size_t launches(const Graph& graph, const against_interpreter::Symbols& symbols = {}) {
  against_interpreter::check(graph, symbols, 3, {.target = host_target()});
  return plan(graph, {.target = host_target()}).launches.size();
}

}  // namespace

TEST_CASE("partial reductions: column sums are fused with rows that are computed anyway") {
  const auto check = [](Shape shape, const against_interpreter::Symbols& symbols) {
    Program p;
    const Value x = p.input(shape), y = p.input(shape);
    const Value e = p.softmax(x);
    p.graph.outputs = {e, p.build.reduce(Op::sum, p.build.mul(e, y), {0}),
                       p.build.reduce(Op::max, y, {0})};
    CHECK(launches(p.graph, symbols) == 1);
  };
  check({96, 16}, {});
  check({77, 33}, {});
  check({rows, 33}, {77});
  check({rows, 33}, {0});
  check({rows, 33}, {1});
}

TEST_CASE("partial reductions: a sum of all elements is fused with rows that are computed anyway") {
  Program p;
  const Value x = p.input({rows, 48});
  const Value e = p.softmax(x);
  p.graph.outputs = {e, p.build.reduce(Op::sum, p.build.mul(e, x), {0, 1})};
  CHECK(launches(p.graph, {50}) == 1);
}

TEST_CASE("partial reductions: a sum over row results is fused with the rows") {
  Program p;
  const Value x = p.input({rows, 10}), weights = p.input({rows});
  const Value total = p.build.reduce(Op::sum, p.build.reduce(Op::max, x, {1}), {0});
  p.graph.outputs = {p.build.div(total, p.build.reduce(Op::sum, weights, {0}))};
  CHECK(launches(p.graph, {50}) == 1);
  CHECK(launches(p.graph, {1}) == 1);
}

TEST_CASE("partial reductions: pointwise operations are fused with sums of their columns") {
  Program p;
  const Value x = p.input({200, 30}), y = p.input({200, 30});
  const Value z = p.build.mul(p.apply(Op::sin, x), y);
  p.graph.outputs = {z, p.build.reduce(Op::sum, z, {0}), p.build.reduce(Op::sum, y, {0})};
  CHECK(launches(p.graph) == 1);
}

TEST_CASE("partial reductions: sums over the first axis and over inner axes share a kernel") {
  Program p;
  const Value x = p.input({40, 6, 5, 3});
  p.graph.outputs = {p.build.reduce(Op::sum, p.build.mul(x, x), {0, 2, 3}),
                     p.build.reduce(Op::sum, x, {0, 2})};
  CHECK(launches(p.graph) <= 2);
}
