#include <doctest/doctest.h>
#include <sinter/schedule/loop/vectorize.hpp>

#include "handwritten_kernels.hpp"

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;
using handwritten_kernels::row_sum;
using handwritten_kernels::sine;

namespace {

// y[r0, r1] = sum over r2 of a0[..] * a1[..]
Kernel product(Extent rows, Extent columns, bool transposed) {
  const Extent r0 = Extent::range(0, rows), r1 = Extent::range(1, columns),
               r2 = Extent::range(2, 16);
  Kernel kernel = row_sum(rows, columns);
  kernel.grid = {{r0, rows}, {r1, columns}};
  kernel.stages = {{{{r2, 16}}, {0, 1, 2, 3}}, {{}, {4}}};
  Instruction sum = kernel.instructions[1];
  sum.operands = {2};
  using namespace handwritten_kernels;
  kernel.instructions = {load(0, r0 * 16 + r2),
                         load(1, transposed ? r1 * 16 + r2 : r2 * columns + r1),
                         compute(Op::mul, {0, 1}), sum, store(2, r0 * columns + r1, 3)};
  return kernel;
}

}  // namespace

TEST_CASE("vectorize: kernels without row loops are vectorized along the grid") {
  Kernel kernel = sine(8, 4, 4, 1);
  vectorize(kernel, false);
  CHECK(kernel.vector_axis == VectorAxis::grid);
  kernel.grid.clear();
  vectorize(kernel, false);
  CHECK(kernel.vector_axis == VectorAxis::none);
}

TEST_CASE("vectorize: a row kernel is vectorized along the axis that is contiguous in memory") {
  Kernel rows = row_sum(8, 4), columns = row_sum(8, 4);
  columns.instructions[0].index = columns.grid[0].variable + rows.stages[0].loops[0].variable * 8;
  vectorize(rows, false);
  vectorize(columns, false);
  CHECK(rows.vector_axis == VectorAxis::stage);
  CHECK(columns.vector_axis == VectorAxis::grid);
  CHECK(loop_stage(rows) == &rows.stages[0]);
}

TEST_CASE("vectorize: short adjacent windows are vectorized along the grid") {
  Kernel kernel = row_sum(8, 3), far = row_sum(8, 3), tall = row_sum(8, 64), few = row_sum(7, 3);
  for (Kernel* one : {&kernel, &tall, &few}) {
    one->instructions[0].index = 2 * one->grid[0].variable + one->stages[0].loops[0].variable;
  }
  for (Kernel* one : {&kernel, &far, &tall, &few}) vectorize(*one, false);
  CHECK(kernel.vector_axis == VectorAxis::grid);
  for (const Kernel* one : {&far, &tall, &few}) CHECK(one->vector_axis == VectorAxis::stage);
}

TEST_CASE("vectorize: a product has a register tile") {
  Kernel plain = product(64, 64, false), transposed = product(64, 64, true);
  vectorize(plain, true);
  vectorize(transposed, true);
  CHECK(plain.vector_axis == VectorAxis::grid);
  CHECK(plain.grid[0].unroll == 4);
  CHECK(plain.grid[1].unroll == 2);
  CHECK(transposed.vector_axis == VectorAxis::stage);
  CHECK(transposed.grid[1].unroll == 4);
}

TEST_CASE("vectorize: a register tile is no larger than the result") {
  Kernel kernel = product(2, 64, false);
  vectorize(kernel, true);
  CHECK(kernel.grid[0].unroll == 2);
}
