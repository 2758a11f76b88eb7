#include <doctest/doctest.h>
#include <sinter/debug/machine/roofline.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("roof: a machine copies and multiplies, and is measured once") {
  const debug::Roofline roof = debug::machine_roof(1);
  CHECK(roof.threads == 1);
  CHECK(roof.bytes_per_second > 1e8);
  CHECK(roof.operations_per_second > 1e9);
  const debug::Roofline again = debug::machine_roof(1);
  CHECK(again.bytes_per_second == roof.bytes_per_second);
  CHECK(again.operations_per_second == roof.operations_per_second);
}
