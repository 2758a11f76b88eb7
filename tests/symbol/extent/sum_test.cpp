#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/sum.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent n = Extent::symbol(0, {.min = 1});
const Extent m = Extent::symbol(1, {.min = 1});
const Extent any = Extent::symbol(3, {.min = -unbounded});
const Extent r8 = Extent::range(1, 8);

}  // namespace

TEST_CASE("sum: terms are in order, and those that cancel are gone") {
  ExtentSum sum;
  sum.add_term(m, 2);
  sum.add_term(n, 3);
  sum.add_product(n + 1, m + 5, 2);
  CHECK(sum.terms.size() == 3);
  CHECK(sum.constant == 10);
  CHECK(sum.coefficient(n) == 13);
  CHECK(sum.coefficient(m) == 4);
  CHECK(sum.coefficient(n * m) == 2);
  CHECK(sum.coefficient(r8) == 0);
  CHECK(same(sum.extent(), 2 * n * m + 4 * m + 13 * n + 10));
  sum.add(n, -13);
  CHECK(sum.coefficient(n) == 0);
  CHECK(sum.terms.size() == 2);
}

TEST_CASE("sum: a coefficient that does not fit throws") {
  ExtentSum sum;
  sum.add_term(n, unbounded);
  CHECK_THROWS_AS(sum.add_term(n, 1), ValueError);
}

TEST_CASE("sum: monomials multiply and divide") {
  CHECK(same(multiply_monomials(m, n), n * m));
  CHECK(same(divide_monomial(n * m, n), m));
  CHECK(same(divide_monomial(n, n), 1));
}

TEST_CASE("join: quotient and remainder of one division meet") {
  CHECK(same(4 * (any / 4) + any % 4, any));
  CHECK(same(r8 + any % 4 + 4 * (any / 4), any + r8));
  CHECK(same(any - 4 * (any / 4), any % 4));
  CHECK(same(n * (any / n) + any % n, any));
  CHECK(same(any - n * (any / n), any % n));
  CHECK(same(any / 4 - 2 * (any / 8), any / 4 % 2));
  CHECK(same(8 * (any / 8) + 4 * (any / 4 % 2) + any % 4, any));
  CHECK(same(m * (4 * (any / 4) + any % 4), m * any));
  CHECK(same((n + 2) * (any / (n + 2)) + any % (n + 2), any));
}
