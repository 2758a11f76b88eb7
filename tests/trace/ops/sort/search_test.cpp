// test: moved
#include "testing.hpp"

#include <sinter/jit/compile.hpp>
#include <sinter/trace/context/mark_dynamic.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/ops/sort/search.hpp>
#include <sinter/trace/transform/grad.hpp>

using namespace testing;

TEST_CASE("searchsorted, bucketize: find the place in front of equals, or behind them") {
  const Tensor sorted = vector({1, 3, 3, 5}), values = vector({0, 1, 3, 4, 6, not_a_number});

  CHECK(near(searchsorted(sorted, values), {0, 0, 1, 3, 4, 4}));
  CHECK(near(searchsorted(sorted, values, true), {0, 1, 3, 3, 4, 4}));
  CHECK(near(bucketize(values, sorted), {0, 0, 1, 3, 4, 4}));
  CHECK(searchsorted(sorted, values).dtype() == i64);
  CHECK(near(searchsorted(sorted, 4), {3}));
  CHECK(
      near(searchsorted(tensor({1, 2, 5, 6}, {2, 2}), tensor({2, 0, 7, 6}, {2, 2})), {1, 0, 2, 1}));
  CHECK(near(searchsorted(ones({0}), values), {0, 0, 0, 0, 0, 0}));
  Tensor marked = sorted;
  mark_dynamic(marked, 0);
  auto compiled = compile([](const Tensor& row, const Tensor& x) { return searchsorted(row, x); });
  CHECK(near(compiled(sorted, values), {0, 0, 1, 3, 4, 4}));
  CHECK(near(compiled(marked, values), {0, 0, 1, 3, 4, 4}));
}

TEST_CASE("searchsorted: as torch where rows do not ascend, and for sizes of any range") {
  const Tensor with_nan = vector({1, 2, not_a_number}), mixed = vector({3, 1, 2, 5, 4, 0, 7});

  CHECK(near(searchsorted(with_nan, 1.5), {1}));
  CHECK(near(searchsorted(with_nan, 2, true), {3}));
  CHECK(near(searchsorted(mixed, vector({0, 1, 2.5, 4, 6, 9})), {0, 0, 3, 3, 6, 7}));
  auto compiled = compile([](const Tensor& row, const Tensor& x) { return searchsorted(row, x); });
  for (const int count : {0, 1, 2, 7, 64, 100}) {
    Tensor rows = expand(reshape(counting({count}), {1, count}), {3, count}) * 1;
    mark_dynamic(rows, 1);
    const Tensor values = tensor({-1, 0.5, 200, 0, 63, 64}, {3, 2});
    CHECK(numbers(compiled(rows, values)) == numbers(searchsorted(rows, values)));
    const Tensor is_before = lt(unsqueeze(rows, 1), unsqueeze(values, 2));
    CHECK(numbers(searchsorted(rows, values)) == numbers(sum(is_before, -1)));
  }
  CHECK(compiled.stats().variants == 1);
}

TEST_CASE("bincount: counts how often each number occurs") {
  CHECK(near(bincount(integers({1, 3, 1, 0})), {1, 2, 0, 1}));
  CHECK(near(bincount(integers({1, 1}), 4), {0, 2, 0, 0}));
  CHECK(near(bincount(zeros({0}, i32), 2), {0, 0}));
  CHECK(near(bincount(integers({1, 3, 1}), vector({0.5, 1, 2})), {0, 2.5, 0, 1}));
  CHECK_THROWS_AS(numbers(bincount(integers({1, -1}))), IndexError);
}

TEST_CASE("bincount: weights add up in f32 or f64, one for each element") {
  const Tensor x = integers({0, 1, 1});

  CHECK(near(bincount(x, integers({1, 2, 3})), {1, 5}));
  CHECK(bincount(x, integers({1, 2, 3})).dtype() == f64);
  CHECK(bincount(x, ones({3}, f16)).dtype() == f64);
  CHECK(bincount(x, ones({3})).dtype() == f32);
  MISTAKE(ShapeError, bincount(x, ones({1})), "bincount: ", "f32[1]", "one weight");
  MISTAKE(ShapeError, bincount(x, ones({3, 2})), "bincount: ", "f32[3, 2]");
  MISTAKE(ValueError, bincount(x, -1), "bincount: minlength is negative", "-1");
}

TEST_CASE("unique: gives the different elements in order") {
  CHECK(near(unique(tensor({3, 1, 3, 2, 1, 1}, {2, 3})), {1, 2, 3}));
  CHECK(near(unique(vector({not_a_number, 1, not_a_number})), {1, NAN, NAN}));
  CHECK(near(unique(gt(vector({3, 1}), 2)), {0, 1}));
  CHECK(unique(ones({0})).shape() == Shape{0});
  auto compiled = compile([](const Tensor& x) { return sum(unique(x)); });
  CHECK(near(compiled(vector({4, 2, 4})), {6}));
  CHECK(near(compiled(vector({4, 2, 3})), {9}));
  CHECK(compiled.stats().breaks == 1);
}

TEST_CASE("search: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({2, 3});

  MISTAKE(ShapeError, searchsorted(x, ones({3})), "searchsorted: ", "f32[2, 3]", "f32[3]");
  MISTAKE(ShapeError, bincount(zeros({2, 2}, i64)), "bincount: ", "i64[2, 2]", "flatten");
  MISTAKE(DTypeError, bincount(ones({2})), "bincount: ", "f32[2]");
  MISTAKE(ShapeError, bucketize(x, x), "bucketize: ", "boundaries.ndim() == 1", "f32[2, 3]");
}
