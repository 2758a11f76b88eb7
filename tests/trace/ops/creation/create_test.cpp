// test: moved
#include "testing.hpp"

#include <sinter/trace/ops/movement/movement.hpp>

using namespace testing;

TEST_CASE("zeros, ones, full: are of the dtype that is named, full of that of its value") {
  CHECK(to_string(zeros({2, 3})) == "f32[2, 3]");
  CHECK(near(zeros({2}), {0, 0}));
  CHECK(near(ones({2}, i8), {1, 1}));
  CHECK(full({2}, 3).dtype() == i64);
  CHECK(full({2}, 0.5).dtype() == f32);
  CHECK(full({2}, true).dtype() == boolean);
  CHECK(near(full({2}, 3, f16), {3, 3}));
  CHECK(near(full({2, 2}, vector({1, 2})), {1, 2, 1, 2}));
  CHECK(to_string(empty({4}, i32)) == "i32[4]");
}

TEST_CASE("zeros_like, ones_like, full_like: have the shape and the dtype of another") {
  const Tensor x = ones({2, 1}, f16);
  CHECK(to_string(zeros_like(x)) == "f16[2, 1]");
  CHECK(to_string(ones_like(x)) == "f16[2, 1]");
  CHECK(to_string(full_like(x, 7)) == "f16[2, 1]");
  CHECK(near(full_like(x, 7), {7, 7}));
  CHECK(to_string(zeros_like(x, i64)) == "i64[2, 1]");
  CHECK(to_string(ones_like(x, boolean)) == "bool[2, 1]");
  CHECK(to_string(full_like(x, 7.5, i32)) == "i32[2, 1]");
  CHECK(to_string(empty_like(x)) == "f16[2, 1]");
}

TEST_CASE("arange: stops before its end; integers in i64") {
  CHECK(near(arange(4), {0, 1, 2, 3}));
  CHECK(arange(4).dtype() == i64);
  CHECK(near(arange(2, 5), {2, 3, 4}));
  CHECK(near(arange(5, 0, -2), {5, 3, 1}));
  CHECK(near(arange(0.0, 1.0, 0.25), {0, 0.25, 0.5, 0.75}));
  CHECK(arange(0.0, 1.0, 0.25).dtype() == f32);
  CHECK(arange(3, 1).numel().number() == 0);
  CHECK(near(arange(2.5), {0, 1, 2}));
  CHECK(arange(2.5f).dtype() == f32);
  CHECK(near(arange(Scalar(3)), {0, 1, 2}));
  CHECK(arange(Scalar(3)).dtype() == i64);
  CHECK(arange(Scalar(2.5f)).dtype() == f32);
}

TEST_CASE("arange: floating numbers are rounded once, and their number up, as in torch") {
  CHECK(arange(0, 1, 0.1).numel().number() == 10);
  CHECK(arange(1.0, -2.0, -0.3).numel().number() == 10);
  CHECK(arange(0, 1, 0.1).to_vector<float>()[7] == 0.7f);
  CHECK(near(arange(1, 7, 2, f16), {1, 3, 5}));
  CHECK(arange(1, 7, 2, f16).dtype() == f16);
}

TEST_CASE("linspace, logspace: have both ends") {
  CHECK(near(linspace(0, 1, 5), {0, 0.25, 0.5, 0.75, 1}));
  CHECK(near(linspace(3, 2, 1), {3}));
  CHECK(linspace(3, 2, 0).numel().number() == 0);
  CHECK(linspace(0, 0.1, 7).to_vector<float>().back() == 0.1f);
  CHECK(near(linspace(0, 10, 4, i64), {0, 3, 6, 10}));
  CHECK(linspace(0, 1, 3, bf16).dtype() == bf16);
  CHECK(near(linspace(full({}, 2.0), full({}, 4.0), 3), {2, 3, 4}));
  CHECK(near(logspace(0, 2, 3), {1, 10, 100}));
  CHECK(near(logspace(0, 3, 4, 2, i32), {1, 2, 4, 8}));
}

TEST_CASE("eye, one_hot: have a 1 where they say") {
  CHECK(near(eye(2), {1, 0, 0, 1}));
  CHECK(eye(2, i32).dtype() == i32);
  CHECK(near(eye(2, 3), {1, 0, 0, 0, 1, 0}));
  CHECK(to_string(eye(3, 0, boolean)) == "bool[3, 0]");
  CHECK(near(one_hot(integers({5, -1}), 2), {0, 0, 0, 0}));
  CHECK(near(one_hot(integers({2, 0}), 3), {0, 0, 1, 1, 0, 0}));
  CHECK(to_string(one_hot(reshape(integers({2, 0}), {2, 1}), 3)) == "i64[2, 1, 3]");
}

TEST_CASE("from_vector, from_span: copy what they are given, bits of a vector of bool included") {
  std::vector<float> numbers{1, 2, 3, 4};
  const Tensor x = from_vector(numbers, {2, 2});
  const Tensor y = from_span(std::span<const float>(numbers), {4});
  numbers[0] = 9;

  CHECK(near(x, {1, 2, 3, 4}));
  CHECK(near(y, {1, 2, 3, 4}));
  CHECK(from_vector(std::vector<bool>{true, false, true}, {3}).dtype() == boolean);
  CHECK(near(from_vector(std::vector<bool>{true, false, true}, {3}), {1, 0, 1}));
  CHECK(near(from_vector(std::vector<float>{}, {0, 3}), {}));
}

TEST_CASE("view: reads the memory of the user in place") {
  std::vector<float> numbers{1, 2, 3};
  const Tensor x = view(numbers.data(), {3});

  CHECK(x.data<float>() == numbers.data());
  CHECK(near(add(x, 1), {2, 3, 4}));
  CHECK(numbers == std::vector<float>{1, 2, 3});
}

TEST_CASE("create: mistakes name the line, the values, the rule and the way out") {
  const std::vector<float> three(3);

  MISTAKE(ShapeError, zeros({2, -1}), "zeros: an extent is negative", "[2, -1]");
  MISTAKE(ShapeError, full({-3}, 1), "full: an extent is negative", "[-3]");
  MISTAKE(ShapeError, from_vector(three, {2, 2}), "from_vector: ", "3", "[2, 2]", "4 elements");
  MISTAKE(ValueError, arange(0, 4, 0), "arange: the step is 0");
  MISTAKE(ValueError, arange(0, ones({})), "arange: ", "f32[]");
  MISTAKE(ValueError, arange(0, 1e300, 0.5), "arange: there are too many elements");
  MISTAKE(ShapeError, linspace(0, 1, -1), "linspace: an extent is negative");
  MISTAKE(ShapeError, linspace(ones({2}), 1, 3), "start and stop have no axes", "f32[2]");
  MISTAKE(ShapeError, eye(2, -2), "eye: an extent is negative");
  MISTAKE(DTypeError, one_hot(ones({2}), 3), "one_hot: the indices are not integers", "f32[2]");
  MISTAKE(ShapeError, view(three.data(), {-1}), "view: an extent is negative");
  MISTAKE(ValueError, view<float>(nullptr, {2}), "view: there is no memory", "[2]");
  MISTAKE(ShapeError, (zeros({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})), "11");
}

TEST_CASE("full: an integer that the dtype does not hold is an error") {
  MISTAKE(ValueError, full({2}, 300, u8), "u8 does not hold the number", "300");
  CHECK(full({2}, 255, u8).to_vector<std::uint8_t>() == std::vector<std::uint8_t>{255, 255});
}
