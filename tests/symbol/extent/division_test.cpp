#include <doctest/doctest.h>
#include <sinter/symbol/extent/division.hpp>
#include <sinter/symbol/extent/extent.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent n = Extent::symbol(0, {.min = 1});
const Extent m = Extent::symbol(1, {.min = 1});
const Extent wide = Extent::symbol(2, {.min = 8, .max = 4096, .multiple_of = 8});
const Extent any = Extent::symbol(3, {.min = -unbounded});
const Extent r4 = Extent::range(0, 4);
const Extent r8 = Extent::range(1, 8);
const Extent r64 = Extent::range(2, 64);
const Extent rn = Extent::range(3, n);
const Extent rm = Extent::range(4, m);
const Extent rnm = Extent::range(5, n* m);

}  // namespace

TEST_CASE("division: a quotient that the interval settles is a number") {
  CHECK(same(r4 / 4, 0));
  CHECK(same(r4 % 4, r4));
  CHECK(same((r4 + 8) / 4, 2));
  CHECK(same((r4 + 8) % 4, r4));
  CHECK(same((r4 - 4) / 4, -1));
  CHECK(same((r4 - 4) % 4, r4));
}

TEST_CASE("division: multiples of the divisor leave") {
  CHECK(same((8 * r64 + r8) / 8, r64));
  CHECK(same((8 * r64 + r8) % 8, r8));
  CHECK(same((8 * any + r64) / 8, any + r64 / 8));
  CHECK(same((any + 16) / 8, any / 8 + 2));
  CHECK(same((13 * any) % 4, any % 4));
  CHECK(same((wide * r4) % 8, 0));
  CHECK(same(wide / 8 * 8, wide));
  CHECK(same((wide + r8) / 8 * 8, wide));
}

TEST_CASE("division: by a symbolic extent, with ranges that have symbolic extents") {
  CHECK(same((rm * n + rn) / n, rm));
  CHECK(same((rm * n + rn) % n, rn));
  CHECK(same((rm * n + rn) / (n * m), 0));
  CHECK(same((rm * n + n - 1 - rn) / n, rm));
  CHECK(same((rm * n + n - 1 - rn) % n, n - 1 - rn));
  CHECK(same((r4 * n * m + rm * n + rn) / (n * m), r4));
  CHECK(same((r4 * n * m + rm * n + rn) / n % m, rm));
  CHECK(same((rn * (m + 2) + rm) / (m + 2), rn));
  CHECK(same((rn * (m + 2) + rm) % (m + 2), rm));
  CHECK(same((r64 * n + rn) / (n * m), r64 / m));
  CHECK(same((r64 * n + rn) % (n * m), n * (r64 % m) + rn));
  CHECK(same(n / n, 1));
  CHECK(same(n * m % m, 0));
  CHECK(same((3 * n) / (2 * n), 1));
  CHECK(same(rn / n, 0));
}

TEST_CASE("division: common factors cancel") {
  CHECK(to_string((4 * r64 + r4) / 8) == "r2//2");
  CHECK(same((4 * r64 + r4) % 8, 4 * (r64 % 2) + r4));
  const Extent small = Extent::symbol(10, {.min = 4, .max = 7});
  CHECK(same((4 * r64 + small) / 8, (r64 + 1) / 2));
  CHECK(same((4 * r64 + small) % 8, 4 * ((r64 + 1) % 2) + small - 4));
  CHECK(same((6 * any + 5) / 4, (3 * any + 2) / 2));
  CHECK(same((6 * any + 5) % 4, 2 * (any % 2) + 1));
}

TEST_CASE("division: nested quotients and remainders are one") {
  CHECK(same(any / 4 / 8, any / 32));
  CHECK(same(any % 32 / 4, any / 4 % 8));
  CHECK(same(any % 32 % 4, any % 4));
  CHECK(same((any % 32 + 4 * n) % 8, (any + 4 * n) % 8));
  CHECK(same((rnm / n) / m, 0));
  CHECK(same(any / n / m, any / (n * m)));
  CHECK(same(any % (n * m) / n, any / n % m));
  CHECK(same(any % (n * m) % n, any % n));
  CHECK(same((any / 4 + 2 * n) / 8, (any + 8 * n) / 32));
}

TEST_CASE("division: coefficients are taken near 0 where that settles the quotient") {
  const Extent bit = Extent::range(9, 2);
  CHECK(same((3 * bit + 1) / 4, bit));
  CHECK(same((3 * bit + 1) % 4, 1 - bit));
}

TEST_CASE("division: dividends stay nonnegative where that is possible") {
  const Extent r16 = Extent::range(8, 16);
  CHECK(to_string((15 - r16) / 4) == "(15 - r8)//4");
  CHECK(to_string((15 - r16) % 4) == "(15 - r8)%4");
  CHECK(to_string((n + 7) / 4) == "(s0 + 3)//4 + 1");
}
