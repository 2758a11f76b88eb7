#include <doctest/doctest.h>
#include <sinter/schedule/ir/refusals.hpp>

using namespace sinter::detail::schedule;

TEST_CASE("refusals: the last reason for each value and each group of its reader") {
  Refusals refusals;
  const std::int32_t reader[] = {2, 3}, other[] = {5};
  refusals.add(1, reader, "first");
  refusals.add(1, other, "second");
  refusals.add(1, reader, "third");
  CHECK(refusals.reason_of_group(1, 2) == "third");
  CHECK(refusals.reason_of_group(1, 3) == "third");
  CHECK(refusals.reason_of_group(1, 5) == "second");
  CHECK(refusals.reason_of_group(1, 4).empty());
  CHECK(refusals.reason_of_group(2, 2).empty());
  refusals.add(1, sinter::detail::NodeId{7}, "of a node");
  CHECK(refusals.reason(1, 7) == "of a node");
  CHECK(refusals.reason(1, 2).empty());
}
