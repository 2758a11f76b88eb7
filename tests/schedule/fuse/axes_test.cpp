#include <doctest/doctest.h>
#include <sinter/schedule/fuse/axes.hpp>

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

namespace {

Cluster rows_of(const Shape& space, std::uint32_t reduced) {
  return {
      .kind = ClusterKind::rows, .space = space, .ranges = ranges_over(space), .reduced = reduced};
}

}  // namespace

TEST_CASE("axes: those of one element have no loop") {
  CHECK(schedule::detail::looped_axes(rows_of({4, 1, 6}, 0b100)) == 0b101);
  CHECK(schedule::detail::first_axis(rows_of({1, 4, 6}, 0b100)) == 0b010);
}

TEST_CASE("axes: the last ones that are in a set, or are not") {
  CHECK(schedule::detail::last_run(0b111, 0b100) == 0b100);
  CHECK(schedule::detail::last_run(0b111, 0b110) == 0b110);
  CHECK(schedule::detail::last_run(0b111, 0b001) == 0b110);
  CHECK(schedule::detail::last_run(0b101, 0b100) == 0b100);
}

TEST_CASE("axes: an index goes along those whose ranges it has") {
  const Cluster cluster = rows_of({4, 6}, 0b10);
  const schedule::detail::Coverage found(cluster, cluster.ranges, 0b01);
  CHECK(found.reduced == 0b01);
  CHECK(found.kept == 0b10);
}

TEST_CASE("axes: one is divided by what an index divides it by") {
  const Cluster cluster = rows_of({4, 6}, 0b10);
  const Extent along = cluster.ranges[1];
  CHECK(schedule::detail::divisors_of(cluster, 1, {floor_div(along, 4)}).empty());
  const std::vector<Extent> found =
      schedule::detail::divisors_of(cluster, 1, {floor_div(along, 3)});
  REQUIRE(found.size() == 1);
  CHECK(same(found[0], 3));

  schedule::detail::Replacements values;
  const Cluster divided = schedule::detail::divided(cluster, 1, 3, values);
  CHECK(text(divided.space) == "[4, 2, 3]");
  CHECK(divided.reduced == 0b110);
  const schedule::Index now = schedule::detail::replaced(cluster.ranges, values);
  CHECK(same(now[0], divided.ranges[0]));
  CHECK(same(now[1], divided.ranges[1] * 3 + divided.ranges[2]));
}
