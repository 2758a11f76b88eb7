#include <doctest/doctest.h>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/interval.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent n = Extent::symbol(0, {.min = 1, .max = 512});
const Extent wide = Extent::symbol(1, {.min = 8, .multiple_of = 8});
const Extent r = Extent::range(0, n);
const Extent r16 = Extent::range(1, 16);

}  // namespace

TEST_CASE("interval: arithmetic covers every result") {
  CHECK(Interval{1, 2} + Interval{10, 20} == Interval{11, 22});
  CHECK(Interval{-2, 3} * Interval{-5, 4} == Interval{-15, 12});
  CHECK(floor_div(Interval{-7, 9}, Interval{2, 4}) == Interval{-4, 4});
  CHECK(mod(Interval{0, 3}, Interval{8, 8}) == Interval{0, 3});
  CHECK(mod(Interval{-1, 3}, Interval{2, 8}) == Interval{0, 7});
  CHECK(Interval{0, unbounded} + Interval{-unbounded, 0} == Interval{});
  CHECK(floor_div(Interval{-3, unbounded}, Interval{1, unbounded}) == Interval{-3, unbounded});
}

TEST_CASE("bounds: follow symbols and the extents of ranges") {
  CHECK(bounds(7) == Interval{7, 7});
  CHECK(bounds(n) == Interval{1, 512});
  CHECK(bounds(r) == Interval{0, 511});
  CHECK(bounds(3 * r - r16 + 2) == Interval{-13, 1535});
  CHECK(bounds(wide) == Interval{8, unbounded});
  CHECK(bounds(-1 * wide) == Interval{-unbounded, -8});
  CHECK(bounds(r / 4) == Interval{0, 127});
  CHECK(bounds(r % 100) == Interval{0, 99});
  CHECK(bounds(min(r, wide)) == Interval{0, 511});
}

TEST_CASE("divisor: multiplies through products and meets in sums") {
  CHECK(known_divisor(0) == 0);
  CHECK(known_divisor(-12) == 12);
  CHECK(known_divisor(wide) == 8);
  CHECK(known_divisor(wide * wide) == 64);
  CHECK(known_divisor(3 * wide) == 24);
  CHECK(known_divisor(wide + 4 * r) == 4);
  CHECK(known_divisor(wide / 4) == 2);
  CHECK(known_divisor(wide % 12) == 4);
  CHECK(known_divisor(r) == 1);
}
