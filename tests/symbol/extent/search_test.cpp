#include <doctest/doctest.h>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/search.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("search: puts ranges, quotients and symbols at their extremes") {
  const Extent n = Extent::symbol(0, {.min = 2});
  const Extent k = Extent::symbol(1, {.min = 0, .max = 8});
  const Extent r = Extent::range(0, n);
  CHECK(find_proof_of_ge0(n * n - n - r));
  CHECK(find_proof_of_ge0(n * n - 2 * n - 2 * (r / 2) + r));
  CHECK(find_proof_of_ge0(4 * n - k));
  CHECK(!find_proof_of_ge0(3 * n - k));
  CHECK(!find_proof_of_ge0(r - n));
}
