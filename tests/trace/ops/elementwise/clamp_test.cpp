// test: moved
#include "functions.hpp"

#include <sinter/trace/ops/elementwise/clamp.hpp>

using namespace testing;

TEST_CASE("clamp: keeps between the two, and the upper one wins") {
  CHECK(near(clamp(vector({-1, 0.5, 2, not_a_number}), 0, 1), {0, 0.5, 1, not_a_number}));
  CHECK(near(clamp(vector({0}), 2, 1), {1}));
  CHECK(near(clamp(vector({-1, 0.5, 2}), vector({0, 1, 0}), 1), {0, 1, 1}));
  CHECK(near(clamp(vector({1}), vector({not_a_number}), 3), {not_a_number}));
  CHECK(near(clamp(vector({1}), not_a_number, 3), {not_a_number}));
  CHECK(clamp(integers({1}), 0, 3).dtype() == i64);
  CHECK(clamp(integers({1}), 0.5, 3).dtype() == f32);
}

TEST_CASE("clamp: one bound is enough") {
  const Tensor x = vector({-1, 0.5, 2});
  CHECK(near(clamp(x, {.min = 0}), {0, 0.5, 2}));
  CHECK(near(clamp(x, {.max = 1}), {-1, 0.5, 1}));
  CHECK(near(clamp(x, {.min = 0, .max = 1}), {0, 0.5, 1}));
  CHECK(near(clamp(x, 0), {0, 0.5, 2}));
  CHECK(near(clamp(x, std::nullopt, 1), {-1, 0.5, 1}));
  CHECK(near(clamp_min(x, 0), {0, 0.5, 2}));
  CHECK(near(clamp_max(x, vector({-2, 0, 5})), {-2, 0, 2}));
}

TEST_CASE("clamp: the gradient at the bounds is that of torch") {
  CHECK(slopes([](Tensor x) { return clamp(x, -1, 1); }, {-2, -1, 0, 1, 2}, {0, 0, 1, 0, 0}));
  CHECK(slopes([](Tensor x) { return clamp(x, full({}, -1.0, f64), full({}, 1.0, f64)); },
               {-2, -1, 0, 1, 2}, {0, 0.5, 1, 0.5, 0}));
  CHECK(slopes([](Tensor low) { return clamp_min(full({}, 0.0, f64), low); }, {-1, 0, 1},
               {0, 0.5, 1}));
}

TEST_CASE("fmin, fmax: leave NaN out") {
  const Tensor x = vector({1, not_a_number, 3, not_a_number});
  const Tensor y = vector({2, 2, not_a_number, not_a_number});
  CHECK(near(fmin(x, y), {1, 2, 3, not_a_number}));
  CHECK(near(fmax(x, y), {2, 2, 3, not_a_number}));
}

TEST_CASE("lerp: goes from one to the other, both exact") {
  CHECK(near(lerp(vector({0, 10}), vector({4, 20}), 0.25), {1, 12.5}));
  CHECK(near(lerp(vector({0.1f, 7}), vector({0.3f, 9}), vector({1, 0})), {0.3f, 7}, 0));
  CHECK(lerp(ones({2}, f16), ones({2}, f16), 0.3).dtype() == f16);
  CHECK(slopes([](Tensor x) { return lerp(x, 3, 0.25); }, {1}, {0.75}));
  CHECK(slopes([](Tensor weight) { return lerp(1, 3, weight); }, {0.25, 0.75}, {2, 2}));
}

TEST_CASE("clamp: mistakes name the line, the values and the way out") {
  const Tensor a = ones({3, 4}), b = ones({5, 4});
  MISTAKE(ShapeError, clamp(a, b, 1), "clamp: ", "f32[3, 4]", "f32[5, 4]");
  MISTAKE(ShapeError, lerp(a, b, 0.5), "lerp: ", "f32[3, 4]", "f32[5, 4]");
  MISTAKE(ValueError, clamp(a, Bounds{}), "clamp: there is no bound", "{.min = 0}");
}

TEST_CASE("clamp: bounds beyond the integers of a dtype bind nothing") {
  const Tensor bytes = full({2}, 200, u8), small = full({2}, 100, i8);
  CHECK(clamp(bytes, -5, 300).to_vector<std::uint8_t>() == std::vector<std::uint8_t>{200, 200});
  CHECK(clamp_min(bytes, -1).to_vector<std::uint8_t>() == std::vector<std::uint8_t>{200, 200});
  CHECK(clamp_max(small, 1000).to_vector<std::int8_t>() == std::vector<std::int8_t>{100, 100});
}
