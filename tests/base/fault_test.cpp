#include <doctest/doctest.h>
#include <sinter/base/fault.hpp>

#include <cstring>
#include <type_traits>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("fault: is what generated kernels write, six 64-bit integers in a row") {
  static_assert(std::is_standard_layout_v<Fault> && std::is_trivially_copyable_v<Fault>);
  REQUIRE(sizeof(Fault) == 48);
  const std::int64_t written[6] = {2, -5, 4, 17, 1, 3};
  Fault fault;
  std::memcpy(&fault, written, sizeof(fault));
  CHECK(fault.number == 2);
  CHECK(fault.value == -5);
  CHECK(fault.bound == 4);
  CHECK(fault.position == 17);
  CHECK(fault.lock == 1);
  CHECK(fault.ended == 3);
}

TEST_CASE("fault: starts as none") { CHECK(Fault{}.number == 0); }
