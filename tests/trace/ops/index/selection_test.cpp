// test: moved
#include "testing.hpp"

#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/index/selection.hpp>

using namespace testing;

TEST_CASE("selection: works out a range for each axis and the shape they give") {
  const Tensor x = counting({3, 4, 5});
  const std::vector<Index> indices{-1, newaxis, Slice{.start = 4, .step = -2}};
  const auto selection = sinter::detail::select(x, indices, "operator[]", Where::current());

  REQUIRE(selection.ranges.size() == 3);
  CHECK(same(selection.ranges[0].start, Extent(2)));
  CHECK(selection.ranges[1].reversed);
  CHECK(same(selection.ranges[1].count, Extent(2)));
  CHECK(selection.shape == Shape{1, 2, 5});
  CHECK_FALSE(selection.covers(x.shape()));
  CHECK(near(sum(take_ranges(x, selection)), {520}));
}

TEST_CASE("selection: put_ranges is the opposite of take_ranges") {
  const Tensor x = counting({3, 4});
  const std::vector<Index> indices{Slice{.step = -2}, Slice{1, 4, 2}};
  const auto selection = sinter::detail::select(x, indices, "set", Where::current());
  const Tensor part = take_ranges(x, selection);

  CHECK(near(part, {9, 11, 1, 3}));
  CHECK(near(put_ranges(zeros({3, 4}), selection, part), {0, 1, 0, 3, 0, 0, 0, 0, 0, 9, 0, 11}));
}

TEST_CASE("selection: lists along several axes become one along one axis") {
  const Vector<sinter::detail::AxisIndices> lists{{0, integers({1, -1})}, {2, integers({0, 3})}};
  const auto merged = sinter::detail::merge_lists({2, 3, 4}, lists, "operator[]", Where::current());

  CHECK(merged.order == std::vector<int>{0, 2, 1});
  CHECK(merged.merged == Shape{8, 3});
  CHECK(merged.result == Shape{2, 3});
  CHECK(near(merged.rows, {4, 7}));
  const Tensor x = counting({2, 3, 4});
  const Where at = Where::current();
  CHECK(near(unmerge(merge(x, merged, at), merged, at), numbers(x)));
}
