#include <doctest/doctest.h>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/solve/solve.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent a = Extent::symbol(0), b = Extent::symbol(1), c = Extent::symbol(2);

}  // namespace

TEST_CASE("solve: what stands alone is found, with its sign") {
  CHECK(same(*solve(a - 2 * b - 3, a), 2 * b + 3));
  CHECK(same(*solve(2 * b - a, a), 2 * b));
  CHECK(same(*solve(a * b + c, c), -(a * b)));
  CHECK_FALSE(solve(2 * a - b, a).has_value());
  CHECK_FALSE(solve(a * b - c, a).has_value());
  CHECK_FALSE(solve(a % 4, a).has_value());
}

TEST_CASE("divide_exactly: a factor of every term is taken out, once") {
  CHECK(same(*divide_exactly(a * b - 3 * a, a), b - 3));
  CHECK(same(*divide_exactly(2 * a * a, a), 2 * a));
  CHECK_FALSE(divide_exactly(a * b - 3 * a + 1, a).has_value());
  CHECK_FALSE(divide_exactly(a * b - c, a).has_value());
}

TEST_CASE("primitive_part: what divides all coefficients is gone") {
  CHECK(same(primitive_part(6 * a - 3 * b + 9), 2 * a - b + 3));
  CHECK(same(primitive_part(6 * a - 3 * b + 1), 6 * a - 3 * b + 1));
  CHECK(same(primitive_part(-4 * a), -a));
  CHECK(same(primitive_part(12), Extent(1)));
  CHECK(same(primitive_part(0), Extent(0)));
}

TEST_CASE("is_polynomial: sums and products are, divisions and minima are not") {
  CHECK(is_polynomial(7));
  CHECK(is_polynomial(a * b + 2 * c));
  CHECK_FALSE(is_polynomial(a % 4 + b));
  CHECK_FALSE(is_polynomial(a * (b / 3)));
  CHECK_FALSE(is_polynomial(max(a, b)));
}
