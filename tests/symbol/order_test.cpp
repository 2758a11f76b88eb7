#include <doctest/doctest.h>
#include <sinter/symbol/extent.hpp>
#include <sinter/symbol/order.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("order: numbers, symbols, ranges, divisions, sums; by id") {
  const Extent n = Extent::symbol(0);
  const Extent m = Extent::symbol(1);
  const Extent r = Extent::range(0, 16);
  const Extent in_order[]{1,     2,     n,     n * m,     n * r, m,    r,
                          r / 4, r / 5, r % 4, min(n, m), n + 1, n + 2};
  for (const Extent& a : in_order) {
    for (const Extent& b : in_order) {
      const int order = compare(a, b);
      CHECK((order < 0) == (&a < &b));
      CHECK((order == 0) == (&a == &b));
    }
  }
}

TEST_CASE("order: does not depend on which expression was made first") {
  const Extent late = Extent::symbol(901);
  const Extent early = Extent::symbol(900);
  CHECK(to_string(late + early) == "s900 + s901");
  CHECK(to_string(late * early) == "s900*s901");
}
