#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

#include <array>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent n = Extent::symbol(0);
const Extent m = Extent::symbol(1);
const Extent r = Extent::range(0, n);

}  // namespace

TEST_CASE("evaluate: takes values from a function, by symbol id, or by variable") {
  const std::array<std::int64_t, 2> sizes{5, 7};
  CHECK(evaluate(n * m + 3, sizes) == 38);
  CHECK(evaluate(42, sizes) == 42);
  CHECK(evaluate((n - m) / 4 + (n - m) % 4, sizes) == 1);
  CHECK(evaluate(min(n, m) + max(n, m) * 10, sizes) == 75);
  const std::array<std::pair<Extent, std::int64_t>, 2> values{{{n, 5}, {r, 3}}};
  CHECK(evaluate(r * 10 + n, values) == 35);
  CHECK(evaluate(r + n, [&](Extent one) { return one.is_range() ? 1 : 2; }) == 3);
}

TEST_CASE("evaluate: what has no value, a divisor of 0 and overflow throw") {
  const std::array<std::int64_t, 2> sizes{0, std::int64_t{1} << 62};
  CHECK_THROWS_AS(evaluate(r, sizes), InternalError);
  CHECK_THROWS_AS(evaluate(Extent::symbol(2), sizes), InternalError);
  CHECK_THROWS_AS(evaluate(m / n, sizes), ValueError);
  CHECK_THROWS_AS(evaluate(m * m, sizes), ValueError);
}
