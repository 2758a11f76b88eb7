#include <doctest/doctest.h>
#include <sinter/runtime/interpreter/strided_runs.hpp>

#include <cstdint>
#include <vector>

using namespace sinter::detail::runtime::interpreter;

namespace {

// All offsets that the runs visit, in order.
std::vector<std::int64_t> offsets(const Sizes& shape, const Sizes& strides) {
  Runs<1> runs(shape, {strides});
  std::vector<std::int64_t> result;
  do {
    for (std::int64_t i = 0; i < runs.length(); ++i) {
      result.push_back(runs.start()[0] + i * runs.step()[0]);
    }
  } while (runs.next());
  return result;
}

std::int64_t longest(const Sizes& shape, const Sizes& strides) {
  return Runs<1>(shape, {strides}).length();
}

}  // namespace

TEST_CASE("count: is 1 without axes, 0 with an empty one, and does not overflow") {
  CHECK(count({}) == 1);
  CHECK(count({2, 3, 4}) == 24);
  CHECK(count({2, 0, 4}) == 0);
  CHECK(count({INT64_MAX, 0}) == 0);
  CHECK(count({INT64_MAX / 2, 3}) == INT64_MAX);
}

TEST_CASE("dense_strides: the last axis is contiguous") {
  CHECK(dense_strides({4, 3, 2}) == Sizes{6, 2, 1});
  CHECK(dense_strides({}) == Sizes{});
}

TEST_CASE("runs: visit all positions in row-major order") {
  for (const Sizes& shape : {Sizes{}, {5}, {2, 3}, {2, 1, 3}, {1, 1}, {3, 2, 2, 2}, {2, 3, 1}}) {
    for (const Sizes& weights : {Sizes{12, 4, 2, 1}, {1, 3, 6, 12}, {0, 1, 0, 2}, {7, -3, 2, 0}}) {
      const Sizes strides(weights.begin(), weights.begin() + shape.size());
      std::vector<std::int64_t> expected{0};
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        std::vector<std::int64_t> longer;
        for (const std::int64_t offset : expected) {
          for (std::int64_t i = 0; i < shape[axis]; ++i)
            longer.push_back(offset + i * strides[axis]);
        }
        expected = longer;
      }
      CHECK(offsets(shape, strides) == expected);
    }
  }
}

TEST_CASE("runs: contiguous axes are one run; axes of extent 1 are ignored") {
  CHECK(longest({4, 3, 2}, {6, 2, 1}) == 24);
  CHECK(longest({4, 1, 3, 2, 1}, {6, 99, 2, 1, 77}) == 24);
  CHECK(longest({4, 3, 2}, {0, 0, 0}) == 24);
  CHECK(longest({4, 3, 2}, {12, 2, 1}) == 6);
  CHECK(longest({4, 3}, {1, 4}) == 3);
  CHECK(Runs<2>({4, 3}, {Sizes{3, 1}, Sizes{1, 0}}).length() == 3);
}

TEST_CASE("runs: an empty shape has none") {
  for (const Sizes& shape : {Sizes{0}, {2, 0}, {0, 2}, {2, 0, 3}, {0, 1}}) {
    CHECK(offsets(shape, dense_strides(shape)).empty());
  }
}
