// The first element that differs, tolerances, and NaN.

#include <doctest/doctest.h>

#include <cmath>

#include <sinter/debug/fault/comparison.hpp>

#include "make_problem.hpp"

using namespace fault_tests;

TEST_CASE("comparison: the first element that differs by more than the tolerance") {
  const TensorType type{f32, {2, 2}};
  const Storage a = floats({1, 2, 3, 4}), b = floats({1, 2.0001f, 5, 7});
  const debug::Difference found = debug::compare({&type, 1}, {&a, 1}, {&b, 1});
  CHECK(found.found);
  CHECK(found.element == "[1, 0]");
  CHECK(to_string(found) == "output 0, element [1, 0]: 3 instead of 5");
  CHECK(found.largest == doctest::Approx(3.0 / 7));
  CHECK_FALSE(debug::compare({&type, 1}, {&a, 1}, {&b, 1}, 0.5).found);
}

TEST_CASE("comparison: NaN equals NaN, and no number") {
  const TensorType type{f32, {1}};
  const Storage nan = floats({NAN}), one = floats({1});
  CHECK_FALSE(debug::compare({&type, 1}, {&nan, 1}, {&nan, 1}).found);
  CHECK(debug::compare({&type, 1}, {&nan, 1}, {&one, 1}).found);
}

TEST_CASE("comparison: an inaccurate reference allows more") {
  const TensorType type{f32, {1}};
  const Storage got = floats({1.001f}), expected = floats({1});
  const Storage exact = Storage::allocate(sizeof(double));
  *static_cast<double*>(exact.data()) = 1.0009;
  CHECK(debug::compare({&type, 1}, {&got, 1}, {&expected, 1}).found);
  CHECK_FALSE(debug::compare({&type, 1}, {&got, 1}, {&expected, 1}, 0, {&exact, 1}).found);
}

TEST_CASE("comparison: integers are equal or differ") {
  CHECK(debug::tolerance_of(i32) == 0);
  CHECK(debug::tolerance_of(bf16) > debug::tolerance_of(f16));
}
