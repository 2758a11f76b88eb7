// test: moved
#include "testing.hpp"

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>

using namespace testing;

TEST_CASE("operators: are the functions") {
  const Tensor x = vector({1, 2, 3}), y = vector({3, 2, 1});

  CHECK(near(x + y, {4, 4, 4}));
  CHECK(near(x - 1, {0, 1, 2}));
  CHECK(near(2 * x, {2, 4, 6}));
  CHECK(near(6 / x, {6, 3, 2}));
  CHECK(near(x % 2, {1, 0, 1}));
  CHECK(near(-x, {-1, -2, -3}));
  CHECK(near(x == y, {0, 1, 0}));
  CHECK(near(x != y, {1, 0, 1}));
  CHECK(near(x < y, {1, 0, 0}));
  CHECK(near(x <= 2, {1, 1, 0}));
  CHECK(near(2 > x, {1, 0, 0}));
  CHECK(near(x >= y, {0, 1, 1}));
  CHECK(near((x > 1) & (x < 3), {0, 1, 0}));
  CHECK(near((x == 1) | (x == 3), {1, 0, 1}));
  CHECK(near((x > 1) ^ (x > 2), {0, 1, 0}));
  CHECK(near(~(x > 1), {1, 0, 0}));
}

TEST_CASE("operators: += and the like rebind, and no other handle sees it") {
  Tensor x = vector({1, 2});
  const Tensor before = x;
  x += 1;
  x *= x;
  x -= 1;
  x /= 2;

  CHECK(near(x, {1.5, 4}));
  CHECK(near(before, {1, 2}));
}

TEST_CASE("operators: += follows promotion, as x = x + y does") {
  Tensor x = integers({1, 2});
  x += 0.5;
  CHECK(x.dtype() == f32);
  CHECK(near(x, {1.5, 2.5}));
}

TEST_CASE("operators: a Scalar is assigned as a number is") {
  Scalar rate = 1e-2f;
  rate *= 0.5f;
  CHECK(rate.item<float>() == 5e-3f);
  rate = 3;
  rate += 1;
  CHECK(rate.dtype() == f32);
  CHECK(rate.item<int>() == 4);
  rate = rate * 2 - 1;
  CHECK(rate.item<int>() == 7);
  rate /= 2;
  CHECK(rate.item<double>() == 3.5);
  Scalar precise = 0.1;
  precise -= 0.05;
  CHECK(precise.dtype() == f64);
  CHECK(near(-precise, {-0.05}));
  CHECK(static_cast<bool>(precise));
}

TEST_CASE("operators: a Scalar is recorded, never read") {
  Recorder recorder;
  RecorderScope scope(&recorder);
  Scalar step = 0;
  step += 1;
  CHECK(step.tensor().lazy()->node.op == Op::add);
}

TEST_CASE("operators: mistakes name the line of the operator") {
  Tensor x = ones({3, 4});
  const Tensor y = ones({5, 4}), none;
  Scalar scalar = 1;

  MISTAKE(ShapeError, x + y, "add: shapes do not broadcast", "f32[3, 4]", "f32[5, 4]");
  MISTAKE(ShapeError, x += y, "add: ", "f32[5, 4]");
  MISTAKE(ShapeError, x < y, "lt: ", "f32[5, 4]");
  MISTAKE(DTypeError, x & x, "bitwise_and: ", "f32[3, 4]");
  MISTAKE(DTypeError, ~x, "bitwise_not: ");
  MISTAKE(ValueError, none + x, "undefined");
  MISTAKE(ValueError, x * none, "undefined");
  MISTAKE(ValueError, -none, "undefined");
  MISTAKE(ShapeError, scalar = x, "Scalar: the tensor has axes", "f32[3, 4]", "mean(x)");
  MISTAKE(ShapeError, scalar += x, "Scalar: ", "f32[3, 4]");
}
