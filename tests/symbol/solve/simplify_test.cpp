#include <doctest/doctest.h>
#include <sinter/symbol/solve/simplify.hpp>
#include <sinter/symbol/solve/variables.hpp>

#include <vector>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent n = Extent::symbol(0, {.min = 1});
const Extent r0 = Extent::range(0, 16);
const Extent r1 = Extent::range(1, 8);
const Extent rn = Extent::range(2, n + 4);

Extent under(Extent extent, Vector<Within> facts) { return simplify_under(extent, facts); }

}  // namespace

TEST_CASE("simplify_under: a guard narrows what it bounds") {
  CHECK(same(under(r0 / 8, {{0, r0, 8}}), 0));
  CHECK(same(under(r0 % 8, {{8, r0, 16}}), r0 - 8));
  CHECK(same(under((r0 - 2) % 8, {{0, r0 - 2, 8}}), r0 - 2));
  CHECK(same(under((r0 + r1) / 8, {{0, r0 + r1, 8}}), 0));
  CHECK(same(under((r0 + r1) / 8, {{0, r0, 4}, {0, r1, 4}}), 0));
  CHECK(same(under(max(r0 - 2, 0), {{2, r0, 16}}), r0 - 2));
  CHECK(same(under(r0 / 8, {}), r0 / 8));
}

TEST_CASE("simplify_under: bounds may be symbolic") {
  CHECK(same(under((rn - 2) % n, {{2, rn, n + 2}}), rn - 2));
  CHECK(same(under((rn - 2) / n, {{2, rn, n + 2}}), 0));
  CHECK(same(under(min(rn - 2, n - 1), {{2, rn, n + 2}}), rn - 2));
}

TEST_CASE("simplify_under: a variable with one value left is that value") {
  CHECK(same(under(r0 * 4 + r1, {{n, r0, n + 1}}), n * 4 + r1));
}

TEST_CASE("proven: guards that always hold need no test") {
  CHECK(proven(Within{0, r0, 16}));
  CHECK(proven(Within{0, rn, n + 4}));
  CHECK(!proven(Within{0, r0 - 2, 16}));
  CHECK(!proven(Within{0, rn, n}));
}

TEST_CASE("proven_ge0_under: adds up what the guards say") {
  const Vector<Within> facts{{2, rn, n + 2}, {3, r0, 9}};
  CHECK(proven_ge0_under(rn - 2, facts));
  CHECK(proven_ge0_under(rn + r0 - 5, facts));
  CHECK(proven_ge0_under(n + 9 - rn - r0, facts));
  CHECK(!proven_ge0_under(rn - 3, facts));
}
