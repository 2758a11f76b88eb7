#include <doctest/doctest.h>
#include <sinter/schedule/loop/vectorize.hpp>

#include <algorithm>

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
  Kernel kernel = row_sum(8, 3), far = row_sum(8, 3), tall = row_sum(8, 64), few = row_sum(3, 3);
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

namespace {

// y[r0, r1, r2] = sum over windows of 3 elements of a0, with weights for each row r0: rows of a
// depthwise convolution, `stride` elements apart.
Kernel window_sum(std::int64_t rows, std::int64_t columns, std::int64_t stride) {
  using namespace handwritten_kernels;
  const Extent r0 = Extent::range(0, 5), r1 = Extent::range(1, rows),
               r2 = Extent::range(2, columns), r3 = Extent::range(3, 3);
  Kernel kernel = row_sum(rows, columns);
  kernel.grid = {{r0, 5}, {r1, rows}, {r2, columns}};
  kernel.stages = {{{{r3, 3}}, {0, 1, 2, 3}}, {{}, {4}}};
  Instruction sum = kernel.instructions[1];
  sum.operands = {2};
  kernel.instructions = {load(0, (r0 * 4 + r1) * 64 + stride * r2 + r3), load(1, r0 * 3 + r3),
                         compute(Op::mul, {0, 1}), sum,
                         store(2, (r0 * rows + r1) * columns + r2, 3)};
  return kernel;
}

// The same with windows of 3 by 3, whose lines overlap.
Kernel window_sum_of_lines(std::int64_t rows, std::int64_t columns) {
  using namespace handwritten_kernels;
  Kernel kernel = window_sum(rows, columns, 1);
  const Extent r0 = kernel.grid[0].variable, r3 = Extent::range(3, 3), r4 = Extent::range(4, 3);
  kernel.stages[0].loops = {{r3, 3}, {r4, 3}};
  kernel.instructions[0] =
      load(0, r0 * 4096 + (kernel.grid[1].variable + r3) * 64 + kernel.grid[2].variable + r4);
  kernel.instructions[1] = load(1, r0 * 9 + r3 * 3 + r4);
  return kernel;
}

const LoopLimits with_windows{.most_window_rows = 8};

}  // namespace

TEST_CASE("vectorize: windows that no rows share are summed by a nest, not as a product") {
  Kernel kernel = window_sum(4, 16, 1), strided = window_sum(4, 16, 2);
  CHECK(is_window_sum(kernel, with_windows));
  CHECK_FALSE(is_window_sum(kernel, {}));  // of a GPU
  vectorize(kernel, true, with_windows);
  CHECK(kernel.sums_windows);
  CHECK(kernel.vector_axis == VectorAxis::grid);
  CHECK(kernel.grid[1].unroll == 1);  // lines without a window in common are staged one by one
  vectorize(strided, true, with_windows);
  CHECK(strided.sums_windows);
  CHECK(strided.grid[1].unroll == 1);
}

TEST_CASE("vectorize: windows whose lines overlap have a tile of enough sums for two units") {
  for (const std::int64_t rows : {4, 7, 14, 19, 28, 33}) {
    for (const std::int64_t columns : {4, 7, 14, 19, 28, 33, 112}) {
      Kernel kernel = window_sum_of_lines(rows, columns);
      vectorize(kernel, true, with_windows);
      REQUIRE(kernel.sums_windows);
      const std::int64_t sums = kernel.grid[1].unroll * kernel.grid[2].unroll;
      CHECK(sums <= with_windows.window_sums);
      if (rows >= 7) CHECK(sums >= 5);
      CHECK(kernel.grid[1].unroll <= rows);
      CHECK(kernel.grid[2].unroll <= std::max<std::int64_t>(1, columns / 8));
    }
  }
  Kernel lines = window_sum_of_lines(7, 7), many = window_sum_of_lines(33, 33);
  vectorize(lines, true, with_windows);
  CHECK(lines.grid[1].unroll == 7);  // no line is left
  vectorize(many, true, with_windows);
  CHECK(many.grid[1].unroll == 11);
}

TEST_CASE("vectorize: windows that are as short as their rows have vectors along the rows") {
  Kernel kernel = window_sum(4, 7, 1);
  vectorize(kernel, true, with_windows);
  CHECK(kernel.vector_axis == VectorAxis::grid);
}

TEST_CASE("vectorize: products, and windows that do not overlap, are none of these sums") {
  CHECK_FALSE(is_window_sum(product(64, 64, false), with_windows));
  CHECK_FALSE(is_window_sum(product(1, 6, true), with_windows));
  CHECK_FALSE(is_window_sum(window_sum(4, 16, 3), with_windows));
  CHECK_FALSE(is_window_sum(window_sum(0, 16, 1), with_windows));
}

TEST_CASE("interleave_columns: two columns are computed for each vector of others") {
  using namespace handwritten_kernels;
  const Extent r0 = Extent::range(0, 16), r1 = Extent::range(1, 2);
  Kernel kernel = sine(8, 4, 4, 1);
  kernel.grid = {{r0, 16}, {r1, 2}};
  for (Instruction& one : kernel.instructions) {
    if (one.code == Code::load) one.index = r0;
    if (one.code == Code::store) one.index = 2 * r0 + r1;
  }
  Kernel three = kernel;
  interleave_columns(kernel, {});
  CHECK(same(kernel.grid[1].variable, r0));
  CHECK(kernel.grid[0].unroll == 2);
  three.grid[1].extent = 3;
  interleave_columns(three, {});
  CHECK(same(three.grid[0].variable, r0));
}

TEST_CASE("narrow_positions: positions that are cast to few bits have 32") {
  Kernel kernel = row_sum(8, 40), wide = row_sum(8, 40);
  for (Kernel* one : {&kernel, &wide}) {
    Instruction& position = one->instructions[1];
    position.op = Op::argmax, position.dtype = i64;
    Instruction narrow = handwritten_kernels::compute(Op::cast, {1});
    narrow.dtype = one == &kernel ? u8 : i64;
    one->instructions.push_back(narrow);
  }
  // What stores the sum reads the position only through the cast.
  for (Kernel* one : {&kernel, &wide}) {
    for (Instruction& store : one->instructions) {
      if (store.code == Code::store) store.operands = {3};
    }
    narrow_positions(*one);
  }
  CHECK(kernel.instructions[1].dtype == i32);
  CHECK(wide.instructions[1].dtype == i64);
}
