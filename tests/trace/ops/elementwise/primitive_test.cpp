// test: moved
#include "testing.hpp"

using namespace testing;

TEST_CASE("elementwise: operands meet as in NumPy") {
  const Tensor column = tensor({10, 20}, {2, 1}), row = vector({1, 2, 3});

  const Tensor result = add(column, row);

  CHECK(to_string(result) == "f32[2, 3]");
  CHECK(near(result, {11, 12, 13, 21, 22, 23}));
  CHECK(near(sub(row, 1), {0, 1, 2}));
  CHECK(to_string(mul(ones({3, 1, 5}), ones({4, 1}))) == "f32[3, 4, 5]");
  CHECK(to_string(mul(ones({0, 3}), ones({3}))) == "f32[0, 3]");
}

TEST_CASE("elementwise: dtypes meet as in torch") {
  const Tensor i8s = ones({2}, i8), u8s = ones({2}, u8), floats = ones({2}),
               halves = ones({2}, f16);

  CHECK(add(i8s, u8s).dtype() == i16);
  CHECK(add(i8s, floats).dtype() == f32);
  CHECK(add(halves, ones({2}, bf16)).dtype() == f32);
  CHECK(add(ones({2}, i64), halves).dtype() == f16);
  CHECK(add(ones({2}, boolean), i8s).dtype() == i8);
  CHECK(add(floats, ones({2}, f64)).dtype() == f64);
}

TEST_CASE("elementwise: a number decides at most whether the result is floating") {
  CHECK(add(ones({2}, i8), 1000).dtype() == i8);
  CHECK(add(ones({2}, i8), 0.5).dtype() == f32);
  CHECK(add(ones({2}, f16), 0.5).dtype() == f16);
  CHECK(add(ones({2}, f64), 0.5f).dtype() == f64);
  CHECK(add(ones({2}, boolean), 1).dtype() == i64);
  CHECK(add(ones({2}, boolean), true).dtype() == boolean);
  CHECK(add(ones({2}, f16), Scalar(0.5)).dtype() == f16);
}

TEST_CASE("div: of integers is in f32, floor_divide and remainder keep the dtype") {
  const Tensor x = integers({7, -7, 6}), y = integers({2, 2, -4});

  CHECK(div(x, y).dtype() == f32);
  CHECK(near(div(x, y), {3.5, -3.5, -1.5}));
  CHECK(floor_divide(x, y).dtype() == i64);
  CHECK(near(floor_divide(x, y), {3, -4, -2}));
  CHECK(near(remainder(x, y), {1, 1, -2}));
  CHECK(near(remainder(vector({5.5, -5.5}), 2), {1.5, 0.5}));
}

TEST_CASE("elementwise: unary functions are those of the C library") {
  const std::vector<float> xs{-2.5f, -0.5f, 0.25f, 1, 3};
  const auto check = [&](Tensor (*function)(Operand), double (*expected)(double)) {
    Numbers results;
    for (const float x : xs) results.push_back(expected(static_cast<double>(x)));
    CHECK(near(function(vector(xs)), results, 1e-6));
  };
  check(neg, [](double x) { return -x; });
  check(abs, [](double x) { return std::fabs(x); });
  check(exp, [](double x) { return std::exp(x); });
  check(expm1, [](double x) { return std::expm1(x); });
  check(log, [](double x) { return std::log(x); });
  check(sin, [](double x) { return std::sin(x); });
  check(cos, [](double x) { return std::cos(x); });
  check(tanh, [](double x) { return std::tanh(x); });
  check(atan, [](double x) { return std::atan(x); });
  check(log1p, [](double x) { return std::log1p(x); });
  check(erf, [](double x) { return std::erf(x); });
  check(sqrt, [](double x) { return std::sqrt(x); });
  check(sign, [](double x) { return x < 0 ? -1.0 : 1.0; });
}

TEST_CASE("elementwise: floating functions take integers as f32") {
  CHECK(exp(integers({0, 1})).dtype() == f32);
  CHECK(near(sqrt(integers({4, 9})), {2, 3}));
  CHECK(abs(integers({-4, 9})).dtype() == i64);
}

TEST_CASE("minimum, maximum: NaN stays") {
  const Tensor x = vector({1, not_a_number, 3}), y = vector({2, 2, 2});

  CHECK(near(minimum(x, y), {1, not_a_number, 2}));
  CHECK(near(maximum(y, x), {2, not_a_number, 3}));
}

TEST_CASE("where: chooses by any condition that is not 0, and promotes what it chooses from") {
  const Tensor condition = integers({0, 5, -1});

  CHECK(near(where(condition, vector({1, 2, 3}), 0), {0, 2, 3}));
  CHECK(where(condition, integers({1, 2, 3}), 0.5).dtype() == f32);
  CHECK(to_string(where(ones({2, 1}), ones({3}), 0)) == "f32[2, 3]");
  CHECK(near(where(vector({0, not_a_number, 1}), 1, 2), {2, 1, 1}));
}

TEST_CASE("comparisons: are boolean, and false for NaN but for !=") {
  const Tensor x = vector({1, 2, not_a_number});

  CHECK(lt(x, 2).dtype() == boolean);
  CHECK(near(lt(x, 2), {1, 0, 0}));
  CHECK(near(ge(x, 2), {0, 1, 0}));
  CHECK(near(eq(x, x), {1, 1, 0}));
  CHECK(near(ne(x, x), {0, 0, 1}));
}

TEST_CASE("bitwise, shift: work on integers and booleans") {
  const Tensor x = integers({12, 10}), y = integers({10, 3});

  CHECK(near(bitwise_and(x, y), {8, 2}));
  CHECK(near(bitwise_or(x, y), {14, 11}));
  CHECK(near(bitwise_xor(x, y), {6, 9}));
  CHECK(near(bitwise_not(x), {-13, -11}));
  CHECK(near(shift_left(x, 2), {48, 40}));
  CHECK(near(shift_right(integers({-8}), 1), {-4}));
  CHECK(bitwise_and(gt(x, 11), gt(y, 0)).dtype() == boolean);
}

TEST_CASE("elementwise: integers wrap, f16 is computed in f32") {
  CHECK(near(add(full({1}, 127, i8), 1), {-128}));
  CHECK(near(mul(full({1}, 300.0, f16), 300), {infinity}));
}

TEST_CASE("elementwise: mistakes name the line, the values, the rule and the way out") {
  const Tensor a = ones({3, 4}), b = ones({5, 4}), none;

  MISTAKE(ShapeError, add(a, b), "add: shapes do not broadcast", "lhs   f32[3, 4]", "f32[5, 4]");
  MISTAKE(ShapeError, where(gt(a, 0), a, b), "where: shapes do not broadcast", "f32[5, 4]");
  MISTAKE(DTypeError, bitwise_and(a, a), "bitwise_and: the operation does not take f32", "compare");
  MISTAKE(DTypeError, bitwise_not(a), "f32[3, 4]");
  MISTAKE(DTypeError, shift_left(a, 1), "f32[3, 4]", "i64");
  MISTAKE(DTypeError, neg(gt(a, 0)), "neg: the operation does not take bool", "bool[3, 4]");
  MISTAKE(DTypeError, sub(gt(a, 0), gt(a, 0)), "sub: ", "bool[3, 4]", "x.to(f32)");
  MISTAKE(ValueError, exp(none), "tensor: the tensor is undefined", "defined()");
}
