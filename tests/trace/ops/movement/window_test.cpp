// test: moved
#include "testing.hpp"

#include <sinter/trace/ops/movement/window.hpp>

#include <array>
#include <set>
#include <utility>

using namespace testing;

TEST_CASE("windows: are as many as fit, each step after the one before") {
  const Tensor x = counting({1, 7});
  const auto taken = [&](detail::WindowAxis axis) {
    return detail::windows(x, {axis}, constant(-1.0f), "test", Where::current());
  };
  CHECK(near(taken({.size = 3, .step = 2}), {0, 1, 2, 2, 3, 4, 4, 5, 6}));
  CHECK(near(taken({.size = 3, .step = 3}), {0, 1, 2, 3, 4, 5}));
  CHECK(near(taken({.size = 2, .step = 3, .dilation = 3}), {0, 3, 3, 6}));
  CHECK(near(taken({.size = 3, .step = 4, .low = 1, .high = 1}), {-1, 0, 1, 3, 4, 5}));
  CHECK(near(taken({.size = 3, .step = 4, .rounds_up = true}), {0, 1, 2, 4, 5, 6}));
  CHECK(near(taken({.size = 2, .step = 4, .rounds_up = true}), {0, 1, 4, 5}));
  CHECK(near(taken({.size = 3, .step = 3, .rounds_up = true}), {0, 1, 2, 3, 4, 5, 6, -1, -1}));
}

TEST_CASE("window_count: a window that rounds up begins inside of the input") {
  const Tensor x = counting({1, 6});
  detail::WindowAxis axis{.size = 2, .step = 3, .rounds_up = true};
  CHECK(detail::window_count(axis, 6, "test", x).number() == 2);
  CHECK(detail::window_count(axis, 7, "test", x).number() == 3);
}

TEST_CASE("spread_apart: puts zeros between elements") {
  const Tensor x = counting({1, 3});
  CHECK(near(detail::spread_apart(x, 1, 3, Where::current()), {0, 0, 0, 1, 0, 0, 2}));
  CHECK(near(detail::spread_apart(x, 1, 1, Where::current()), {0, 1, 2}));
}

TEST_CASE("per_axis: one number is for all axes") {
  const auto list = [](const PerAxis& numbers) {
    return detail::per_axis(numbers, 2, 1, "test", "stride", Where::current());
  };
  CHECK(list(3) == std::vector<std::int64_t>{3, 3});
  CHECK(list({3, 4}) == std::vector<std::int64_t>{3, 4});
  CHECK_THROWS_AS(list({1, 2, 3}), ShapeError);
  CHECK_THROWS_AS(list(0), ValueError);
}

TEST_CASE("covering_windows: each window has each of its elements once") {
  for (const auto& [size, step, low] :
       {std::array{3, 2, 1}, {3, 1, 1}, {2, 2, 0}, {5, 3, 2}, {11, 4, 2}, {3, 4, 0}}) {
    const std::int64_t elements = 23, count = (elements + 2 * low - size) / step + 1;
    const auto cover =
        detail::covering_windows({.size = size, .step = step, .low = low}, elements, count);
    std::set<std::pair<std::int64_t, std::int64_t>> found;
    for (std::int64_t q = 0; q < cover.steps; ++q) {
      for (std::int64_t r = 0; r < step; ++r) {
        for (std::int64_t v = 0; v < cover.axis.size; ++v) {
          const std::int64_t window = q - cover.axis.low + v;
          const std::int64_t at = r + step * (cover.axis.size - 1 - v) - cover.skipped;
          if (window < 0 || window >= count || at < 0 || at >= size) continue;
          CHECK(window * step + at - low == q * step + r);  // the element itself
          if (q * step + r < elements) found.insert({window, at});
        }
      }
    }
    std::size_t inside = 0;
    for (std::int64_t window = 0; window < count; ++window) {
      for (std::int64_t at = 0; at < size; ++at) {
        const std::int64_t element = window * step + at - low;
        inside += element >= 0 && element < elements;
      }
    }
    CHECK(found.size() == inside);
  }
}
