#include <doctest/doctest.h>
#include <sinter/symbol/extent/memo.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("memo: answers what was remembered, and nothing else") {
  const Extent a = Extent::symbol(77);
  CHECK(!recall(ExtentQuestion::min, a, 123));
  remember(ExtentQuestion::min, a, 123, 5);
  REQUIRE(recall(ExtentQuestion::min, a, 123));
  CHECK(same(*recall(ExtentQuestion::min, a, 123), 5));
  CHECK(!recall(ExtentQuestion::max, a, 123));
  CHECK(!recall(ExtentQuestion::min, 123, a));
}
