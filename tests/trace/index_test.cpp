#include "testing.hpp"

#include <sinter/trace/index.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/transform.hpp>

using namespace testing;

namespace {

const Tensor matrix = counting({3, 4});

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

TEST_CASE("index_select: puts the axes of the indices in place of the axis") {
  CHECK(near(index_select(matrix, 1, integers({3, 0})), {3, 0, 7, 4, 11, 8}));
  CHECK(near(index_select(matrix, -1, zeros({}, i64)), {0, 4, 8}));
  const auto total = [](const Tensor& x) {
    return sum(mul(index_select(x, 0, integers({0, 2, 0})), vector({1, 10, 100, 1000})));
  };
  CHECK(near(grad(total)(matrix), {2, 20, 200, 2000, 0, 0, 0, 0, 1, 10, 100, 1000}));
}

TEST_CASE("take_along_axis: one index for each element of the result") {
  const Tensor indices = reshape(integers({3, 0, -1, 1, 2, 2}), {3, 2});

  CHECK(near(take_along_axis(matrix, indices, 1), {3, 0, 7, 5, 10, 10}));
  CHECK(near(take_along_axis(matrix, reshape(integers({2, 1, 0, 2}), {1, 4}), 0), {8, 5, 2, 11}));
  CHECK(near(take_along_axis(vector({5, 6, 7}), integers({2, 2}), 0), {7, 7}));
}

TEST_CASE("take_along_axis: an index outside of its axis does not reach into the next row") {
  for (const std::int64_t bad : {4, -5, 1'000'000, -1'000'000}) {
    const Tensor indices = reshape(integers({0, bad, 0}), {3, 1});
    CHECK_THROWS_AS(numbers(take_along_axis(matrix, indices, 1)), IndexError);
  }
}

TEST_CASE("index_add: adds up at positions that are named twice") {
  const Tensor x = zeros({3, 2});
  const Tensor y = tensor({1, 2, 3, 4, 5, 6}, {3, 2});

  CHECK(near(index_add(x, 0, integers({2, 0, 2}), y), {3, 4, 0, 0, 6, 8}));
  CHECK(near(index_add(x, -1, integers({1}), 1), {0, 1, 0, 1, 0, 1}));
}

TEST_CASE("index: mistakes name the line, the values, the rule and the way out") {
  const Tensor rows = integers({0});

  MISTAKE(IndexError, matrix[3], "operator[]: ", "f32[3, 4]", "index 3", "-3 <= index < 3");
  MISTAKE(IndexError, (matrix[{0, -5}]), "axis  0", "index -5");
  MISTAKE(IndexError, (matrix[{0, 0, 0}]), "more indices than axes", "f32[3, 4]", "indices 3");
  MISTAKE(DTypeError, matrix[vector({0, 1})], "indices are not integers", "f32[2]", ".to(i64)");
  MISTAKE(ValueError, (matrix[Slice{0, 2, 0}]), "slice: the step is not positive");
  MISTAKE(IndexError, index_select(matrix, 2, rows), "index_select: ", "axis  2");
  MISTAKE(DTypeError, index_select(matrix, 0, matrix), "index_select: ", "f32[3, 4]");
  MISTAKE(ShapeError, take_along_axis(matrix, rows, 0), "ranks differ", "f32[3, 4]", "i64[1]");
  MISTAKE(ShapeError, index_add(matrix, 0, rows, ones({5})), "index_add: ", "f32[5]");
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
