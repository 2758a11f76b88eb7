#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/symbol/extent/arithmetic.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("arithmetic: division rounds down and remainders are not negative") {
  static_assert(floor_quotient(7, 4) == 1);
  static_assert(floor_quotient(-7, 4) == -2);
  static_assert(floor_quotient(-8, 4) == -2);
  static_assert(floor_remainder(-7, 4) == 1);
  static_assert(floor_remainder(-8, 4) == 0);
}

TEST_CASE("arithmetic: bounds saturate") {
  static_assert(saturating_add(unbounded - 1, 5) == unbounded);
  static_assert(saturating_add(-unbounded, 5) == -unbounded);
  static_assert(saturating_add(3, unbounded) == unbounded);
  static_assert(saturating_multiply(unbounded, 0) == 0);
  static_assert(saturating_multiply(unbounded, -2) == -unbounded);
  static_assert(saturating_multiply(std::int64_t{1} << 40, std::int64_t{1} << 40) == unbounded);
  static_assert(saturating_multiply(-6, 7) == -42);
}

TEST_CASE("arithmetic: checked operations throw where they overflow") {
  CHECK(checked_add(2, 3) == 5);
  CHECK(checked_multiply(2, -3) == -6);
  CHECK_THROWS_AS(checked_add(unbounded, 1), ValueError);
  CHECK_THROWS_AS(checked_multiply(unbounded, 2), ValueError);
}
