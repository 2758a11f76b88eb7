#include <doctest/doctest.h>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/solve/variables.hpp>

#include <array>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent n = Extent::symbol(0, {.min = 1});
const Extent m = Extent::symbol(1, {.min = 1});
const Extent k = Extent::symbol(2);
const Extent r0 = Extent::range(0, n);
const Extent r1 = Extent::range(1, 8);

}  // namespace

TEST_CASE("variables: are listed once, symbols first") {
  const auto all = variables(r1 * m + (r0 + r1) / n + r1);
  REQUIRE(all.size() == 4);
  CHECK(same(all[0], n));
  CHECK(same(all[1], m));
  CHECK(same(all[2], r0));
  CHECK(same(all[3], r1));
  CHECK(variables(3).empty());
  CHECK(depends_on(r0 / 3, r0));
  CHECK(!depends_on(r0 / 3, n));  // only r0's extent does
}

TEST_CASE("substitute: replaces at once and simplifies") {
  const Extent index = 4 * (r0 / 4) + r1;
  CHECK(same(substitute(index, r0, 4 * m + 3), 4 * m + r1));
  const std::array<std::pair<Extent, Extent>, 2> swap{{{n, m}, {m, n}}};
  CHECK(same(substitute(n + 2 * m, swap), m + 2 * n));
  CHECK(same(substitute(index, m, 1), index));
  CHECK(same(substitute(k % n, k, n * m + r0), r0));
  CHECK(same(substitute(min(n, 8), n, 12), 8));
}

TEST_CASE("coefficient_of: finds the stride of a range, and nothing if there is none") {
  CHECK(same(coefficient_of(m * r0 + 3 * r1 + 5, r0).value(), m));
  CHECK(same(coefficient_of(m * r0 + 3 * r1 + r0, r0).value(), m + 1));
  CHECK(same(coefficient_of(m * r0, r1).value(), 0));
  CHECK(same(coefficient_of((r1 / 2) * r0, r0).value(), r1 / 2));
  CHECK(!coefficient_of(r0 / 2, r0));
  CHECK(!coefficient_of(r0 * r0, r0));
  CHECK(!coefficient_of(r0 * (r0 % 3), r0));
}

TEST_CASE("without: puts a variable at 0") {
  CHECK(same(without(m * r0 + 3 * r1 + 5, r0), 3 * r1 + 5));
  CHECK(same(without((r0 + r1) / 4, r0), r1 / 4));
}
