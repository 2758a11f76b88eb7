#include <doctest/doctest.h>
#include <sinter/schedule/fuse/axes.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

FusionGroup rows_of(const Shape& space, std::uint32_t reduced) {
  return {
      .kind = GroupKind::rows, .space = space, .ranges = ranges_over(space), .reduced = reduced};
}

}  // namespace

TEST_CASE("axes: an axis of extent 1 has no loop") {
  CHECK(schedule::detail::looped_axes(rows_of({4, 1, 6}, 0b100)) == 0b101);
  CHECK(schedule::detail::first_looped_axis(rows_of({1, 4, 6}, 0b100)) == 0b010);
}

TEST_CASE("axes: the trailing axes are all in a set, or all outside of it") {
  CHECK(schedule::detail::trailing_axes(0b111, 0b100) == 0b100);
  CHECK(schedule::detail::trailing_axes(0b111, 0b110) == 0b110);
  CHECK(schedule::detail::trailing_axes(0b111, 0b001) == 0b110);
  CHECK(schedule::detail::trailing_axes(0b101, 0b100) == 0b100);
}

TEST_CASE("axes: an index depends on the axes whose ranges it contains") {
  const FusionGroup group = rows_of({4, 6}, 0b10);
  const schedule::detail::Coverage found(group, group.ranges, 0b01);
  CHECK(found.reduced == 0b01);
  CHECK(found.kept == 0b10);
}

TEST_CASE("axes: an axis is split by a divisor in the index") {
  const FusionGroup group = rows_of({4, 6}, 0b10);
  const Extent along = group.ranges[1];
  CHECK(schedule::detail::axis_divisors(group, 1, {floor_div(along, 4)}).empty());
  const std::vector<Extent> found =
      schedule::detail::axis_divisors(group, 1, {floor_div(along, 3)});
  REQUIRE(found.size() == 1);
  CHECK(same(found[0], 3));

  sinter::detail::Substitutions values;
  const FusionGroup split_axis = schedule::detail::split_axis(group, 1, 3, values);
  CHECK(text(split_axis.space) == "[4, 2, 3]");
  CHECK(split_axis.reduced == 0b110);
  const schedule::Index now = schedule::substituted(group.ranges, values);
  CHECK(same(now[0], split_axis.ranges[0]));
  CHECK(same(now[1], split_axis.ranges[1] * 3 + split_axis.ranges[2]));
}
