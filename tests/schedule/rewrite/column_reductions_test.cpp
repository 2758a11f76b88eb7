// test: deep
#include <doctest/doctest.h>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/rewrite/column_reductions.hpp>

#include "against_interpreter.hpp"
#include "programs.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using programs::Program;

namespace {

const Extent rows = Extent::symbol(0, {.min = 0});

// Column reductions in a program that also computes softmax(x).
struct Sums {
  Program p{};
  Value x{}, e{};

  explicit Sums(Shape shape, DType dtype = f32) : x(p.input(std::move(shape), dtype)) {
    e = p.softmax(x);
  }
  bool is_fusible(Value of, AxisList axes, Op op = Op::sum) {
    const Value result = p.build.reduce(op, of, std::move(axes));
    p.graph.outputs = {e, result};
    return fusible_column_reductions(p.graph, gpu_target())[result.node];
  }
};

std::size_t kernels_that_combine(const Plan& plan) {
  std::size_t result = 0;
  for (const Kernel& kernel : plan.kernels) result += has(kernel, Code::combine) ? 1 : 0;
  return result;
}

}  // namespace

TEST_CASE(
    "column_reductions: columns of values computed from their rows, or from the same sources") {
  const auto columns = [](Shape shape, AxisList axes, Op op = Op::sum) {
    Sums of(std::move(shape));
    return of.is_fusible(of.p.build.mul(of.e, of.x), std::move(axes), op);
  };
  CHECK(columns({4096, 512}, {0}));
  CHECK(columns({8, 512, 768}, {0, 1}));
  CHECK(columns({rows, 1024}, {0}, Op::max));
  CHECK_FALSE(columns({4096, 512}, {1}));
  CHECK_FALSE(columns({8, 512, 768}, {0}));
  CHECK_FALSE(columns({1000, 512}, {0}));
  CHECK_FALSE(columns({4096, 256}, {0}));
  CHECK_FALSE(columns({4096, 16384}, {0}));
  CHECK_FALSE(columns({4096, rows}, {0}));
  CHECK_FALSE(columns({4096, 512}, {0}, Op::argmax));
}

TEST_CASE("column_reductions: columns of other values are left alone") {
  Sums plain({4096, 512});
  CHECK_FALSE(plain.is_fusible(plain.p.build.mul(plain.x, plain.x), {0}));

  Sums both({4096, 512});
  const Value from_input = both.p.build.reduce(Op::sum, both.x, {0});
  const Value from_other = both.p.build.reduce(Op::sum, both.p.input({4096, 512}), {0});
  const Value of_rows = both.p.build.reduce(Op::sum, both.e, {0});
  both.p.graph.outputs = {both.e, from_input, from_other, of_rows};
  const Vector<bool> found = fusible_column_reductions(both.p.graph, gpu_target());
  CHECK(found[from_input.node]);
  CHECK_FALSE(found[from_other.node]);
  CHECK(found[of_rows.node]);
}

TEST_CASE("column_reductions: a reduction that all rows depend on is not fused with them") {
  Sums of({4096, 512});
  Program& p = of.p;
  const Value total = p.build.reduce(Op::sum, of.e, {0});
  const Value all = p.build.expand(p.build.reshape(total, {1, 512}), {4096, 512});
  const Value last = p.build.reduce(Op::sum, p.build.mul(of.e, of.e), {0});
  p.graph.outputs = {p.build.mul(of.e, all), last};
  const Vector<bool> found = fusible_column_reductions(p.graph, gpu_target());
  CHECK_FALSE(found[total.node]);
  CHECK(found[last.node]);
}

TEST_CASE("column_reductions: the number of chunks depends on sizes only") {
  CHECK(text(column_reduction_chunks(16384, 4096)) == "512");
  CHECK(text(column_reduction_chunks(16384, 768)) == "1024");
  CHECK(text(column_reduction_chunks(16384, 512)) == "2048");
  CHECK(text(column_reduction_chunks(1024, 768)) == "256");
  CHECK(text(column_reduction_chunks(rows, 768)) == "max(min(s0, 1024), 1)");
}

TEST_CASE(
    "column_reductions: a GPU has partial reductions in the row kernel and the totals in another") {
  const auto check = [](Shape shape, DType dtype, const against_interpreter::Symbols& symbols) {
    Sums of(std::move(shape), dtype);
    Program& p = of.p;
    p.graph.outputs = {of.e, p.build.reduce(Op::sum, p.build.mul(of.e, of.x), {0}),
                       p.build.reduce(Op::sum, of.x, {0})};
    const Options options{.row_tiles = true, .target = gpu_target()};
    against_interpreter::check(p.graph, symbols, 3, options);
    const Plan made = plan(p.graph, options);
    CHECK(made.launches.size() == 2);
    CHECK(kernels_that_combine(made) == 1);
    const Plan strict = plan(p.graph, {.strict = true, .row_tiles = true, .target = gpu_target()});
    CHECK(kernels_that_combine(strict) == 0);
  };
  check({1024, 512}, f32, {});
  check({1030, 600}, f32, {});
  check({1024, 512}, bf16, {});
  for (const std::int64_t count : {0, 1, 7, 1500}) check({rows, 512}, f32, {count});
}

TEST_CASE("column_reductions: sums that shared memory has no room for have a kernel of their own") {
  for (const Extent count : {Extent(1024), rows}) {
    Sums of({count, 8192});
    Program& p = of.p;
    const auto columns = [&](Value x) { return p.build.reduce(Op::sum, x, {0}); };
    p.graph.outputs = {of.e, columns(of.e), columns(of.x), columns(p.build.mul(of.e, of.x)),
                       columns(p.build.mul(of.e, of.e))};
    const Options options{.row_tiles = true, .target = gpu_target()};
    const Plan made = plan(p.graph, options);
    CHECK(made.launches.size() == 3);  // three sums with the rows, another one, the totals
    CHECK(kernels_that_combine(made) == 1);
    if (!count.is_number()) against_interpreter::check(p.graph, {5}, 3, options);
  }
}
