// test: moved
#include "testing.hpp"

#include <sinter/jit/compile.hpp>
#include <sinter/trace/context/mark_dynamic.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/transform/grad.hpp>

using namespace testing;

namespace {

Tensor matrix = counting({3, 4});
const Shared shared{matrix};

}  // namespace

TEST_CASE("operator[]: takes one position, from the end if it is negative") {
  CHECK(near(matrix[1], {4, 5, 6, 7}));
  CHECK(near(matrix[-1], {8, 9, 10, 11}));
  CHECK(near(matrix[{2, -1}], {11}));
  CHECK(matrix[{2, -1}].ndim() == 0);
}

TEST_CASE("operator[]: takes slices as NumPy reads them") {
  CHECK(near(matrix[Slice{1, 3}], {4, 5, 6, 7, 8, 9, 10, 11}));
  CHECK(near(matrix[{all, Slice{.step = 2}}], {0, 2, 4, 6, 8, 10}));
  CHECK(near(matrix[{0, Slice{-2}}], {2, 3}));
  CHECK(near(matrix[{0, Slice{.stop = -1, .step = 2}}], {0, 2}));
  CHECK(to_string(matrix[Slice{2, 1}]) == "f32[0, 4]");
  CHECK(to_string(matrix[Slice{-9, 9}]) == "f32[3, 4]");
}

TEST_CASE("operator[]: a slice may start and stop as far away as any number is") {
  constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max();
  CHECK(to_string(matrix[Slice{1, far}]) == "f32[2, 4]");
  CHECK(to_string(matrix[Slice{-far - 1, std::numeric_limits<std::size_t>::max()}]) == "f32[3, 4]");
  CHECK(to_string(matrix[Slice{far}]) == "f32[0, 4]");
  CHECK(near(matrix[{1, Slice{far, -far, -2}}], {7, 5}));
  CHECK(near(matrix[{1, Slice{.start = 1, .step = far}}], {5}));
}

TEST_CASE("operator[]: newaxis adds an axis, ellipsis stands for what is left") {
  CHECK(to_string(matrix[newaxis]) == "f32[1, 3, 4]");
  CHECK(to_string(matrix[{all, newaxis, 1}]) == "f32[3, 1]");
  CHECK(near(matrix[{ellipsis, 1}], {1, 5, 9}));
  CHECK(near(matrix[{1, ellipsis}], {4, 5, 6, 7}));
  CHECK(to_string(counting({2, 3, 4, 5})[{0, ellipsis, newaxis, 0}]) == "f32[3, 4, 1]");
}

TEST_CASE("operator[]: takes a tensor of positions") {
  CHECK(near(matrix[integers({2, 0})], {8, 9, 10, 11, 0, 1, 2, 3}));
  CHECK(to_string(matrix[{all, zeros({5, 6}, i32)}]) == "f32[3, 5, 6]");
  CHECK(near(matrix[{all, integers({-1})}], {3, 7, 11}));
}

TEST_CASE("operator[]: negative steps go backwards, as in NumPy") {
  CHECK(near(matrix[{1, Slice{.step = -1}}], {7, 6, 5, 4}));
  CHECK(near(matrix[{1, Slice{2, 0, -1}}], {6, 5}));
  CHECK(near(matrix[{1, Slice{-1, -9, -2}}], {7, 5}));
  CHECK(near(matrix[Slice{.step = -2}], {8, 9, 10, 11, 0, 1, 2, 3}));
  CHECK(to_string(matrix[Slice{0, 2, -1}]) == "f32[0, 4]");
}

TEST_CASE("operator[]: several tensors are taken element by element") {
  const Tensor x = counting({2, 3, 4});

  CHECK(near(matrix[{integers({0, 2}), integers({3, -4})}], {3, 8}));
  CHECK(near(matrix[{from_vector(std::vector<std::int64_t>{0, 2}, {2, 1}), integers({0, 1})}],
             {0, 1, 8, 9}));
  CHECK(to_string(x[{all, zeros({5}, i64), zeros({6, 1}, i32)}]) == "f32[2, 6, 5]");
  CHECK(to_string(x[{zeros({5}, i64), all, zeros({6, 1}, i32)}]) == "f32[6, 5, 3]");
  CHECK(to_string(x[{0, all, zeros({5}, i64)}]) == "f32[3, 5]");
  CHECK(near(x[{integers({1}), all, integers({-1})}], {15, 19, 23}));
  const auto total = [](const Tensor& at) {
    return sum(mul(at[{integers({0, 2, 0}), integers({1, 1, 1})}], vector({1, 10, 100})));
  };
  CHECK(near(grad(total)(matrix), {0, 101, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0}));
}

TEST_CASE("operator[]: a mask takes what it selects, along one axis") {
  const Tensor x = counting({2, 3, 2});

  CHECK(near(matrix[gt(matrix, 8)], {9, 10, 11}));
  CHECK(near(matrix[gt(vector({1, 0, 1}), 0)], {0, 1, 2, 3, 8, 9, 10, 11}));
  CHECK(near(matrix[{all, gt(vector({1, 0, 0, 1}), 0)}], {0, 3, 4, 7, 8, 11}));
  CHECK(near(x[{gt(x[{all, all, 0}], 3), 1}], {5, 7, 9, 11}));
  CHECK(near(matrix[{gt(vector({1, 0, 1}), 0), integers({1, 2})}], {1, 10}));
  CHECK(to_string(matrix[full({}, true)]) == "f32[1, 3, 4]");
  CHECK(to_string(matrix[full({}, false)]) == "f32[0, 3, 4]");
  CHECK(near(grad([](const Tensor& at) { return sum(square(at[gt(at, 9)])); })(matrix),
             {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 22}));
}

TEST_CASE("operator[]: a position may be a size, a Scalar or a tensor") {
  CHECK(near(matrix[{matrix.size(0) - 1, Scalar(2)}], {10}));
  CHECK(near(matrix[{all, full({}, -1)}], {3, 7, 11}));
  auto at = compile([](const Tensor& x, const Scalar& i) { return x[{all, i}]; });
  CHECK(near(at(matrix, Scalar(1)), {1, 5, 9}));
  CHECK(near(at(matrix, Scalar(-1)), {3, 7, 11}));
  CHECK(at.stats().recompiles == 0);
  CHECK_THROWS_AS(numbers(at(matrix, Scalar(4))), IndexError);
}

TEST_CASE("set: replaces what the index names, and nothing else sees it") {
  const Tensor before = zeros({2, 3});

  CHECK(near(set(before, 1, 5), {0, 0, 0, 5, 5, 5}));
  CHECK(near(set(before, {all, Slice{.step = 2}}, vector({1, 2})), {1, 0, 2, 1, 0, 2}));
  CHECK(near(set(before, {0, Slice{.step = -1}}, vector({1, 2, 3})), {3, 2, 1, 0, 0, 0}));
  CHECK(near(set(before, {ellipsis, -1}, vector({1, 2})), {0, 0, 1, 0, 0, 2}));
  CHECK(near(set(before, {newaxis, 1, 1}, 4), {0, 0, 0, 0, 4, 0}));
  CHECK(near(set(before, {Scalar(1), Slice{1, 3}}, 4), {0, 0, 0, 0, 4, 4}));
  CHECK(
      near(set(before, {integers({0, 1}), integers({2, 0})}, vector({7, 8})), {0, 0, 7, 8, 0, 0}));
  CHECK(near(set(before, {all, integers({1, 1})}, vector({7, 8})), {0, 8, 0, 0, 8, 0}));
  CHECK(near(set(before, Slice{2, 1}, 4), {0, 0, 0, 0, 0, 0}));
  CHECK(near(before, {0, 0, 0, 0, 0, 0}));
  CHECK(set(before.to(i8), 0, 2.9).dtype() == i8);
  CHECK(near(set(full({}, 1.0f), ellipsis, 3), {3}));
}

TEST_CASE("set: a mask is not read if it is the only tensor") {
  const Tensor x = vector({3, -1, 4, -1});

  CHECK(near(set(x, lt(x, 0), 0), {3, 0, 4, 0}));
  CHECK(near(set(x, lt(x, 0), vector({7, 8})), {3, 7, 4, 8}));
  CHECK(near(set(matrix, {all, gt(vector({0, 1, 0, 1}), 0)}, tensor({1, 2, 3}, {3, 1})),
             {0, 1, 2, 1, 4, 2, 6, 2, 8, 3, 10, 3}));
  auto compiled = compile([](const Tensor& at) { return set(at, lt(at, 0), arange(2)); });
  CHECK(near(compiled(x), {3, 0, 4, 1}));
  CHECK(compiled.stats().breaks == 0);
  CHECK(near(set(matrix, {gt(vector({1, 0, 1}), 0), 0}, vector({50, 60})),
             {50, 1, 2, 3, 4, 5, 6, 7, 60, 9, 10, 11}));
}

TEST_CASE("set: gradients flow to what stays and to what is written") {
  const auto weighted = [](const Tensor& x, const Tensor& value) {
    return sum(mul(set(x, {Slice{0, 3, 2}, integers({1, 0, 1})}, value), counting({3, 4})));
  };
  const Tensor value = vector({1, 2, 3});
  CHECK(near(grad(weighted)(matrix, value), {0, 0, 2, 3, 4, 5, 6, 7, 0, 0, 10, 11}));
  CHECK(near(grad(weighted, 1)(matrix, value), {0, 8, 10}));
  CHECK(near(compile(grad(weighted, 1))(matrix, value), {0, 8, 10}));
}

TEST_CASE("index_put: can add up") {
  const Tensor twice = integers({1, 1, 0});

  CHECK(near(index_put(zeros({3}), {twice}, vector({1, 2, 3}), true), {3, 3, 0}));
  CHECK(near(index_put(zeros({3}), {twice}, vector({1, 2, 3})), {3, 2, 0}));
  CHECK(near(index_put(ones({2, 2}), {all, 0}, 4, true), {5, 1, 5, 1}));
  CHECK(near(index_put(ones({2, 2}), {gt(vector({0, 1}), 0)}, 4, true), {1, 1, 5, 5}));
}

TEST_CASE("index: sizes may be symbols") {
  auto tail = compile([](const Tensor& x) {
    const Tensor last = x[{Slice{x.size(0) - 2}, Slice{.step = -2}}];
    return set(x, {Slice{-2}, Slice{.step = -2}}, neg(last));
  });
  for (const int rows : {3, 5, 2}) {
    Tensor x = counting({rows, 4});
    mark_dynamic(x, 0);
    Numbers expected = numbers(x);
    for (int row = rows - 2; row < rows; ++row) {
      for (int column : {1, 3}) expected[static_cast<std::size_t>(row * 4 + column)] *= -1;
    }
    CHECK(near(tail(x), expected));
  }
  CHECK(tail.stats().variants == 1);
}

TEST_CASE("index: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(IndexError, matrix[3], "operator[]: ", "f32[3, 4]", "index 3", "-3 <= index < 3");
  MISTAKE(IndexError, (matrix[{0, -5}]), "axis  1", "index -5");
  MISTAKE(IndexError, (matrix[{0, 0, 0}]), "more indices than axes", "f32[3, 4]", "indices 3");
  MISTAKE(IndexError, (matrix[{ellipsis, ellipsis}]), "two ellipses");
  MISTAKE(DTypeError, matrix[vector({0, 1})], "indices are not integers", "f32[2]", ".to(i64)");
  MISTAKE(ValueError, (matrix[Slice{0, 2, 0}]), "operator[]: the step is 0");
  MISTAKE(IndexError, matrix[full({4}, true)], "the mask does not fit", "bool[4]", "axis  0");
  MISTAKE(ShapeError, (matrix[{integers({0, 1}), integers({0, 1, 2})}]), "operator[]: ", "i64[3]");
  MISTAKE(ShapeError, set(matrix, 0, ones({3})), "set: the value does not fit", "[4]", "f32[3]");
  MISTAKE(IndexError, set(matrix, 7, 0), "set: ", "index 7");
}

TEST_CASE("index: an index outside of its axis is reported when elements are read, by its line") {
  const Tensor bad = index_select(matrix, 0, integers({0, 3}));
  const unsigned line = __LINE__ - 1;
  try {
    numbers(bad);
    FAIL_CHECK("nothing was thrown");
  } catch (const IndexError& error) {
    CHECK(error.where().line() == line);
    CHECK(std::string(error.what()).find("3") != std::string::npos);
  }
}
