// test: moved
#include "testing.hpp"

#include <sinter/jit/compile.hpp>
#include <sinter/trace/context/mark_dynamic.hpp>
#include <sinter/trace/ops/index/gather.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

using namespace testing;

namespace {

Tensor matrix = counting({3, 4});
const Shared shared{matrix};

Tensor rows(const std::vector<std::int64_t>& numbers, const Shape& shape) {
  return from_vector(numbers, shape);
}

// Compiled for the sizes of `x`, and for any, `function` gives what it gives eagerly.
template <class F>
bool fuses(F function, const Tensor& x) {
  const Numbers expected = numbers(function(x));
  Tensor marked = x;
  for (int axis = 0; axis < x.ndim(); ++axis) mark_dynamic(marked, axis);
  return near(compile(function)(x), expected) && near(compile(function)(marked), expected);
}

}  // namespace

TEST_CASE("index_select: puts the axes of the indices in place of the axis") {
  CHECK(near(index_select(matrix, 1, integers({3, 0})), {3, 0, 7, 4, 11, 8}));
  CHECK(near(index_select(matrix, -1, zeros({}, i64)), {0, 4, 8}));
  CHECK(index_select(matrix, 0, zeros({0}, i32)).shape() == Shape{0, 4});
  const auto total = [](const Tensor& x) {
    return sum(mul(index_select(x, 0, integers({0, 2, 0})), vector({1, 10, 100, 1000})));
  };
  CHECK(near(grad(total)(matrix), {2, 20, 200, 2000, 0, 0, 0, 0, 1, 10, 100, 1000}));
}

TEST_CASE("take: of the flattened tensor, or along an axis") {
  CHECK(near(take(matrix, rows({11, 0, -1, 5}, {2, 2})), {11, 0, 11, 5}));
  CHECK(take(matrix, rows({11, 0, -1, 5}, {2, 2})).shape() == Shape{2, 2});
  CHECK(near(take(matrix, integers({1}), 0), {4, 5, 6, 7}));
}

TEST_CASE("gather: one index along the axis for each element of the result") {
  CHECK(near(gather(matrix, 1, rows({0, 0, 3, 2, 1, 1}, {3, 2})), {0, 0, 7, 6, 9, 9}));
  CHECK(near(gather(matrix, 0, rows({2, 1, 0}, {1, 3})), {8, 5, 2}));
  CHECK(near(gather(matrix, 1, rows({3, 3}, {2, 1})), {3, 7}));
  CHECK(near(gather(vector({5, 6, 7}), -1, integers({2, 0, -1, 1})), {7, 5, 7, 6}));
  CHECK(near(gather(full({}, 4.0f), 0, zeros({}, i64)), {4}));
  const auto total = [](const Tensor& x) {
    const Tensor taken = gather(x, 1, rows({0, 0, 3, 2, 1, 1}, {3, 2}));
    return sum(mul(taken, tensor({1, 2, 3, 4, 5, 6}, {3, 2})));
  };
  CHECK(near(grad(total)(matrix), {3, 0, 0, 0, 0, 0, 4, 3, 0, 11, 0, 0}));
  CHECK(fuses(grad(total), matrix));
  CHECK(fuses([](const Tensor& x) { return gather(x, 0, argmax(x, 0, true)); }, matrix));
}

TEST_CASE("take_along_axis: but for the axis, both are broadcast") {
  CHECK(near(take_along_axis(matrix, rows({3, 0, -1, 1, 2, 2}, {3, 2}), 1), {3, 0, 7, 5, 10, 10}));
  CHECK(near(take_along_axis(matrix, rows({2, 1}, {1, 2}), 1), {2, 1, 6, 5, 10, 9}));
  CHECK(near(take_along_axis(counting({1, 4}), rows({2, 0}, {2, 1}), 1), {2, 0}));
  CHECK(near(take_along_axis(vector({5, 6, 7}), integers({2, 2}), 0), {7, 7}));
}

TEST_CASE("gather: an index outside of its axis does not reach into the next row") {
  for (const std::int64_t bad : {4, -5, 1'000'000, -1'000'000}) {
    const Tensor indices = rows({0, bad, 0}, {3, 1});
    CHECK_THROWS_AS(numbers(gather(matrix, 1, indices)), IndexError);
    CHECK_THROWS_AS(numbers(take_along_axis(matrix, indices, 1)), IndexError);
    CHECK_THROWS_AS(numbers(scatter(matrix, 1, indices, 1)), IndexError);
    CHECK_THROWS_AS(numbers(scatter_add(matrix, 1, indices, 1)), IndexError);
  }
}

TEST_CASE("scatter: replaces elements; the last of several at one place counts") {
  const Tensor indices = rows({0, 0, -1, 2, 1, 1}, {3, 2}),
               source = tensor({1, 2, 3, 4, 5, 6}, {3, 2});
  const Numbers expected{2, 1, 2, 3, 4, 5, 4, 3, 8, 6, 10, 11};

  CHECK(near(scatter(matrix, 1, indices, source), expected));
  CHECK(
      near(scatter(matrix, 0, rows({2, 2}, {1, 2}), -1), {0, 1, 2, 3, 4, 5, 6, 7, -1, -1, 10, 11}));
  CHECK(near(scatter(zeros({3}, i32), 0, integers({1}), vector({2.9f, 7})), {0, 2, 0}));
  CHECK(near(scatter(gt(matrix, 5), 1, rows({0}, {1, 1}), true),
             {1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
  CHECK(near(scatter(vector({1, 2}), 0, zeros({0}, i64), vector({9})), {1, 2}));
  const auto weighted = [&](const Tensor& x, const Tensor& y) {
    return sum(mul(scatter(x, 1, indices, y), counting({3, 4})));
  };
  CHECK(near(grad(weighted)(matrix, source), {0, 1, 2, 3, 4, 5, 0, 0, 8, 0, 10, 11}));
  CHECK(near(grad(weighted, 1)(matrix, source), {0, 0, 7, 6, 0, 9}));
  CHECK(fuses([&](const Tensor& x) { return scatter(x, 1, indices, source); }, matrix));
}

TEST_CASE("scatter: keeps every bit of what is written") {
  const Tensor written = vector({-0.0f, not_a_number, infinity});
  const Tensor result = scatter(ones({4}), 0, integers({3, 1, 0}), written);
  CHECK(near(result, {infinity, NAN, 1, 0}));
  CHECK(std::signbit(result.to_vector<float>()[3]));
}

TEST_CASE("scatter_add: adds up") {
  const Tensor indices = rows({0, 0, -1, 2, 1, 1}, {3, 2}),
               source = tensor({1, 2, 3, 4, 5, 6}, {3, 2});

  CHECK(near(scatter_add(matrix, 1, indices, source), {3, 1, 2, 3, 4, 5, 10, 10, 8, 20, 10, 11}));
  CHECK(near(scatter_add(zeros({3}, i64), 0, integers({1, 1, 1}), 1), {0, 3, 0}));
  CHECK(near(scatter_add(zeros({2}, boolean), 0, integers({1, 1}), true), {0, 1}));
  CHECK(fuses([&](const Tensor& x) { return scatter_add(x, 1, indices, source); }, matrix));
}

TEST_CASE("index_add, index_copy, index_fill: write whole slices") {
  const Tensor y = tensor({1, 2, 3, 4, 5, 6}, {3, 2});

  CHECK(near(index_add(zeros({3, 2}), 0, integers({2, 0, 2}), y), {3, 4, 0, 0, 6, 8}));
  CHECK(near(index_add(zeros({3, 2}), -1, integers({1}), 1), {0, 1, 0, 1, 0, 1}));
  CHECK(near(index_copy(zeros({3, 2}), 0, integers({-1, 0, 2}), y), {3, 4, 0, 0, 5, 6}));
  CHECK(near(index_fill(zeros({2, 3}), 1, integers({0, -1}), 7), {7, 0, 7, 7, 0, 7}));
  CHECK(fuses(
      [&](const Tensor& x) {
        return index_copy(x, 0, integers({2, 0, 2}), matrix);
      },
      matrix));
}

TEST_CASE("gather: mistakes name the line, the values, the rule and the way out") {
  const Tensor list = integers({0});

  MISTAKE(IndexError, index_select(matrix, 2, list), "index_select: ", "axis  2");
  MISTAKE(DTypeError, index_select(matrix, 0, matrix), "index_select: ", "f32[3, 4]", ".to(i64)");
  MISTAKE(ShapeError, gather(matrix, 0, list), "gather: ranks differ", "f32[3, 4]", "i64[1]");
  MISTAKE(ShapeError, gather(matrix, 1, zeros({4, 1}, i64)), "more elements than x", "i64[4, 1]");
  MISTAKE(ShapeError, take_along_axis(matrix, list, 0), "ranks differ", "f32[3, 4]", "i64[1]");
  MISTAKE(ShapeError, take_along_axis(matrix, zeros({2, 1}, i64), 1), "take_along_axis: ");
  MISTAKE(ShapeError, scatter(matrix, 0, zeros({2, 2}, i64), ones({1, 2})),
          "scatter: ", "f32[1, 2]");
  MISTAKE(ShapeError, index_add(matrix, 0, list, ones({5})), "index_add: ", "f32[5]");
  MISTAKE(ShapeError, index_copy(matrix, 0, list, ones({2, 4})), "index_copy: ", "[1, 4]");
  MISTAKE(ShapeError, index_fill(matrix, 0, list, ones({4})), "index_fill: ", "f32[4]");
}
