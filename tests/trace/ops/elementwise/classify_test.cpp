// test: moved
#include "functions.hpp"

#include <sinter/trace/ops/elementwise/classify.hpp>

using namespace testing;

namespace {

Tensor kinds = vector({-infinity, -1, -0.0f, 0, 2, infinity, not_a_number});
const Shared shared{kinds};

}  // namespace

TEST_CASE("classify: tells NaN, infinities and signs") {
  CHECK(near(isnan(kinds), {0, 0, 0, 0, 0, 0, 1}));
  CHECK(near(isinf(kinds), {1, 0, 0, 0, 0, 1, 0}));
  CHECK(near(isposinf(kinds), {0, 0, 0, 0, 0, 1, 0}));
  CHECK(near(isneginf(kinds), {1, 0, 0, 0, 0, 0, 0}));
  CHECK(near(isfinite(kinds), {0, 1, 1, 1, 1, 0, 0}));
  CHECK(near(signbit(kinds), {1, 1, 1, 0, 0, 0, 0}));
  CHECK(isinf(kinds).dtype() == boolean);
}

TEST_CASE("classify: the same in a compiled function, and for 16 bits") {
  auto compiled = compile([](const Tensor& x) -> Tensor {
    return isnan(x).to(i64) + isinf(x).to(i64) * 2 + isfinite(x).to(i64) * 4 +
           signbit(x).to(i64) * 8;
  });
  const Numbers expected{10, 12, 12, 4, 4, 2, 1};
  for (const DType dtype : {f16, bf16, f32, f64}) CHECK(near(compiled(kinds.to(dtype)), expected));
}

TEST_CASE("classify: integers are finite") {
  CHECK(near(isnan(integers({1})), {0}));
  CHECK(near(isinf(integers({1})), {0}));
  CHECK(near(isfinite(integers({1})), {1}));
  CHECK(near(signbit(integers({-1, 0})), {1, 0}));
}

TEST_CASE("copysign: has the sign of zeros too") {
  CHECK(near(copysign(vector({1, -2, 3}), vector({-0.0f, 0, -5})), {-1, 2, -3}));
  CHECK(slopes([](Tensor x) { return copysign(x, -1); }, {3, -3, 0}, {-1, 1, 0}));
}

TEST_CASE("nan_to_num: what takes their place is finite, or given") {
  const double largest = std::numeric_limits<float>::max();
  CHECK(near(nan_to_num(kinds), {-largest, -1, 0, 0, 2, largest, 0}));
  CHECK(near(nan_to_num(kinds, 1, 9, -9), {-9, -1, 0, 0, 2, 9, 1}));
  CHECK(near(nan_to_num(kinds.to(f16)), {-65504, -1, 0, 0, 2, 65504, 0}));
  CHECK(nan_to_num(integers({1})).dtype() == i64);
  CHECK(slopes([](Tensor x) { return nan_to_num(x); }, {1, NAN, HUGE_VAL}, {1, 0, 0}));
}

TEST_CASE("isclose: by both tolerances; NaN only if it is said") {
  const Tensor x = vector({1, 1, 0, infinity, not_a_number});
  const Tensor y = vector({1.000001f, 1.1f, 1e-9f, infinity, not_a_number});
  CHECK(near(isclose(x, y), {1, 0, 1, 1, 0}));
  CHECK(near(isclose(x, y, 0.2, 0, true), {1, 1, 0, 1, 1}));
}

TEST_CASE("allclose: one boolean for all elements, which are broadcast") {
  const Tensor x = vector({1, 1, 0, infinity}), y = vector({1.000001f, 1, 1e-9f, infinity});
  CHECK(allclose(x, y).ndim() == 0);
  CHECK(allclose(x, y).dtype() == boolean);
  CHECK(static_cast<bool>(allclose(x, y)));
  CHECK_FALSE(static_cast<bool>(allclose(x, y, 0, 0)));
  CHECK(static_cast<bool>(allclose(ones({2, 3}), 1)));
  CHECK(static_cast<bool>(allclose(zeros({0}), zeros({0}))));
  CHECK_FALSE(static_cast<bool>(allclose(full({1}, not_a_number), full({1}, not_a_number))));
  CHECK(static_cast<bool>(allclose(full({1}, not_a_number), full({1}, not_a_number), 0, 0, true)));
  MISTAKE(ShapeError, allclose(ones({2}), ones({3})), "allclose: ", "[2]");
}

TEST_CASE("logical_and, logical_or, logical_xor, logical_not: look at whether elements are 0") {
  const Tensor x = vector({0, 2, 0, 3}), y = integers({0, 0, 1, 1});

  CHECK(near(logical_and(x, y), {0, 0, 0, 1}));
  CHECK(near(logical_or(x, y), {0, 1, 1, 1}));
  CHECK(near(logical_xor(x, y), {0, 1, 1, 0}));
  CHECK(near(logical_not(x), {1, 0, 1, 0}));
  CHECK(logical_and(x, y).dtype() == boolean);
}

TEST_CASE(
    "isclose: takes booleans and integers, whose distances do not wrap; no negative tolerance") {
  CHECK(near(isclose(vector({1, 0}) > 0, ones({2}, boolean)), {1, 0}));
  CHECK(near(isclose(full({1}, 1, u8), full({1}, 2, u8), 0, 1), {1}));
  CHECK(near(isclose(integers({-5}), integers({-6}), 0.1, 0.5), {1}));
  MISTAKE(ValueError, isclose(ones({1}), ones({1}), -1), "isclose: a tolerance is negative", "-1");
  MISTAKE(ValueError, isclose(ones({1}), ones({1}), 0, -1), "isclose: a tolerance", "atol");
}
