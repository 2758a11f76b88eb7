#include <doctest/doctest.h>
#include <sinter/trace/value/mark.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("DimRange: is every size unless it says something else") {
  const DimRange range;
  CHECK(range.min == 0);
  CHECK(range.max == unbounded);
  CHECK(range.multiple_of == 1);
}
