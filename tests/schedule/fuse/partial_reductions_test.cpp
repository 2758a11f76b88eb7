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

TEST_CASE("partial reductions: sums that share a kernel move together into later rows") {
  const auto check = [](Extent count, const against_interpreter::Symbols& symbols) {
    Program p;
    const Shape shape{count, 6, 48};
    const Value x = p.input(shape), gain = p.input({48});
    const Value gradient = p.build.dot_general(p.input({count, 6, 20}), p.input({20, 48}),
                                               {.lhs_contract = {2}, .rhs_contract = {0}});
    const Value of_bias = p.build.reduce(Op::sum, gradient, {0, 1});
    const Value of_gain = p.build.reduce(Op::sum, p.build.mul(gradient, x), {0, 1});
    const Value scaled = p.build.mul(gradient, p.broadcast(gain, shape));
    const Value along = p.along_row(Op::sum, p.build.mul(scaled, x));
    p.graph.outputs = {p.build.sub(scaled, p.build.mul(along, x)), of_bias, of_gain};
    against_interpreter::check(p.graph, symbols, 3, {.target = host_target()});
    std::size_t kernels = 0;
    for (const Launch& one : plan(p.graph, {.target = host_target()}).launches)
      kernels += one.lowered.size();
    CHECK(kernels == 4);  // the product, the rows with parts of both sums, the two sums
  };
  check(96, {});
  check(rows, {50});
  check(rows, {1});
  check(rows, {0});
}
