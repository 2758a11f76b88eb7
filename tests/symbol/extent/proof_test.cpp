#include <doctest/doctest.h>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/proof.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent n = Extent::symbol(0, {.min = 1});
const Extent m = Extent::symbol(1, {.min = 1});
const Extent wide = Extent::symbol(2, {.min = 8, .multiple_of = 8});
const Extent any = Extent::symbol(3, {.min = -unbounded});
const Extent rn = Extent::range(0, n);
const Extent rm = Extent::range(1, m);

}  // namespace

TEST_CASE("proof: a range is below its symbolic extent") {
  CHECK(proven_less(rn, n));
  CHECK(proven_ge0(n - 1 - rn));
  CHECK(!proven_less(rn, n - 1));
  CHECK(!proven_less(rn, m));
}

TEST_CASE("proof: a flat index is below the number of elements") {
  CHECK(proven_less(rm * n + rn, n * m));
  CHECK(proven_less(rn * m + rm, n * m));
  CHECK(!proven_less(rm * n + rn + 1, n * m));
  CHECK(proven_less((rm * n + rn) * 64 + Extent::range(4, 64), 64 * n * m));
}

TEST_CASE("proof: a quotient is below the quotient of the extent") {
  CHECK(proven_less(rn / 4, ceil_div(n, 4)));
  CHECK(proven_less_equal(4 * (rn / 4), rn));
  CHECK(proven_less(rn, 4 * (rn / 4) + 4));
  CHECK(proven_less_equal(n / 2, n));
  CHECK(!proven_less(rn / 4, n / 4));
}

TEST_CASE("proof: remainders, minima and maxima are bounded by their operands") {
  CHECK(proven_less(any % n, n));
  CHECK(proven_less_equal(rn % m, rn));
  CHECK(proven_less_equal(min(n, 4 * m), n));
  CHECK(proven_less_equal(min(n, 4 * m), 4 * m));
  CHECK(proven_less_equal(n, max(n, m)));
  CHECK(proven_less(min(n, m), n + m));
  CHECK(!proven_less_equal(n, min(n, m)));
}

TEST_CASE("proof: equality sees through quotients and remainders") {
  CHECK(proven_equal(any, any));
  CHECK(proven_equal(2 * (any % 4) + 8 * (any / 4), 2 * any));
  CHECK(proven_equal(any % 4 + any, 2 * any - 4 * (any / 4)));
  CHECK(!proven_equal(n, m));
  CHECK(proven_not_equal(2 * any, 2 * n + 1));
  CHECK(proven_not_equal(rn, n));
  CHECK(proven_not_equal(wide, 4));
  CHECK(!proven_not_equal(n, m));
}

TEST_CASE("proof: divisibility uses multiple_of and symbolic factors") {
  CHECK(proven_divisible(wide * n, 8));
  CHECK(proven_divisible(wide + 16, 4));
  CHECK(!proven_divisible(wide + 2, 4));
  CHECK(proven_divisible(n * m + 2 * n, n));
  CHECK(!proven_divisible(n * m + 1, n));
  CHECK(proven_divisible(0, n));
}

TEST_CASE("proof: what overflows is not proven, and does not throw") {
  const Extent huge = Extent::symbol(9, {.min = -unbounded}) * Extent::max_number;
  CHECK(!proven_less(huge * 2, -2 * huge));
  CHECK(!proven_equal(huge * 2, -2 * huge));
}
