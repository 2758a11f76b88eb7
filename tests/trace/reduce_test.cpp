#include "testing.hpp"

#include <sinter/trace/reduce.hpp>

using namespace testing;

namespace {

const Tensor matrix = tensor({1, 5, 3, 4, 2, 6}, {2, 3});

}  // namespace

TEST_CASE("sum: over all axes, one, several, from the end, kept") {
  CHECK(near(sum(matrix), {21}));
  CHECK(sum(matrix).ndim() == 0);
  CHECK(near(sum(matrix, 0), {5, 7, 9}));
  CHECK(near(sum(matrix, -1), {9, 12}));
  CHECK(near(sum(matrix, {0, 1}), {21}));
  CHECK(to_string(sum(matrix, {-1}, true)) == "f32[2, 1]");
  CHECK(to_string(sum(matrix, all_axes, true)) == "f32[1, 1]");
  CHECK(to_string(sum(ones({2, 3, 4, 5}), {0, -1})) == "f32[3, 4]");
}

TEST_CASE("sum, prod: booleans and integers add up in i64") {
  CHECK(sum(full({300}, 1, i8)).dtype() == i64);
  CHECK(near(sum(full({300}, 1, i8)), {300}));
  CHECK(near(sum(gt(matrix, 3)), {3}));
  CHECK(near(prod(integers({2, 3, 4})), {24}));
  CHECK(sum(ones({2}, f16)).dtype() == f16);
}

TEST_CASE("sum, prod, mean: of nothing are 0, 1 and NaN") {
  CHECK(near(sum(ones({0, 3}), 0), {0, 0, 0}));
  CHECK(near(prod(ones({0})), {1}));
  CHECK(near(mean(ones({0})), {not_a_number}));
}

TEST_CASE("mean: is floating, in f32 for integers") {
  CHECK(near(mean(matrix), {3.5}));
  CHECK(near(mean(matrix, 0), {2.5, 3.5, 4.5}));
  CHECK(mean(integers({1, 2})).dtype() == f32);
  CHECK(near(mean(integers({1, 2})), {1.5}));
}

TEST_CASE("max, min, argmax, argmin: NaN wins, the first position counts") {
  const Tensor x = vector({2, not_a_number, 7, not_a_number});

  CHECK(near(max(matrix, 1), {5, 6}));
  CHECK(near(min(matrix, 0), {1, 2, 3}));
  CHECK(near(max(x), {not_a_number}));
  CHECK(near(min(x), {not_a_number}));
  CHECK(near(argmax(x), {1}));
  CHECK(near(argmin(x), {1}));
  CHECK(near(argmax(vector({3, 7, 7})), {1}));
  CHECK(near(argmax(matrix, -1), {1, 2}));
  CHECK(near(argmin(matrix, 0), {0, 1, 0}));
  CHECK(near(argmax(matrix), {5}));
  CHECK(argmax(matrix).dtype() == i64);
  CHECK(to_string(argmax(matrix, 1, true)) == "i64[2, 1]");
  CHECK(to_string(argmax(matrix, all_axes, true)) == "i64[1, 1]");
  CHECK(near(argmin(gt(matrix, 2), 1), {0, 1}));
}

TEST_CASE("argmin: the smallest integer is the smallest") {
  const std::int64_t low = std::numeric_limits<std::int64_t>::min();
  CHECK(near(argmin(integers({5, low, 3})), {1}));
  CHECK(near(argmin(from_vector(std::vector<std::uint8_t>{3, 0, 9}, {3})), {1}));
}

TEST_CASE("any, all: look at whether elements are 0") {
  const Tensor x = tensor({0, 0, 1, 2}, {2, 2});

  CHECK(near(any(x, 1), {0, 1}));
  CHECK(near(all(x, 1), {0, 1}));
  CHECK(near(all(x), {0}));
  CHECK(any(x).dtype() == boolean);
  CHECK(near(any(ones({0})), {0}));
  CHECK(near(all(ones({0})), {1}));
  CHECK(near(any(vector({0.25f})), {1}));
}

TEST_CASE("var: divides by n - correction") {
  const Tensor x = tensor({1, 2, 4, 10, 10, 10}, {2, 3});

  CHECK(near(var(x, 1), {7.0 / 3, 0}));
  CHECK(near(var(x, 1, false, 0), {14.0 / 9, 0}));
  CHECK(to_string(var(x, 1, true)) == "f32[2, 1]");
  CHECK(near(var(vector({3})), {not_a_number}));
  CHECK(near(var(integers({1, 3})), {2}));
}

TEST_CASE("logsumexp: does not overflow, and knows infinity") {
  CHECK(near(logsumexp(vector({1000, 1000})), {1000 + std::log(2.0)}));
  CHECK(near(logsumexp(vector({-infinity, -infinity})), {-infinity}));
  CHECK(near(logsumexp(vector({infinity, 1})), {infinity}));
  CHECK(near(logsumexp(tensor({0, 0, 1, 1}, {2, 2}), 0),
             {std::log(1 + std::exp(1.0)), std::log(1 + std::exp(1.0))}));
  CHECK(to_string(logsumexp(matrix, 1, true)) == "f32[2, 1]");
  CHECK(to_string(logsumexp(ones({1, 1, 3}), 0)) == "f32[1, 3]");
}

TEST_CASE("reduce: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(IndexError, sum(matrix, 2), "sum: x has no such axis", "f32[2, 3]", "axis  2");
  MISTAKE(IndexError, mean(matrix, -3), "mean: ", "axis  -3", "-2 <= axis < 2");
  MISTAKE(ValueError, sum(matrix, {0, -2}), "sum: an axis is named twice", "named", "[0, -2]");
  MISTAKE(ValueError, max(ones({0, 3}), 0), "max: there is nothing to choose from", "f32[0, 3]");
  MISTAKE(ValueError, argmin(ones({0})), "argmin: ", "f32[0]");
  MISTAKE(ValueError, argmax(matrix, {0, 1}), "argmax: ", "f32[2, 3]", "[0, 1]");
  MISTAKE(IndexError, var(matrix, 5), "var: ", "f32[2, 3]");
  MISTAKE(IndexError, logsumexp(matrix, 5), "logsumexp: ", "f32[2, 3]");
  MISTAKE(IndexError, any(matrix, 5), "any: ", "f32[2, 3]");
  MISTAKE(IndexError, all(matrix, 5), "all: ", "f32[2, 3]");
}
