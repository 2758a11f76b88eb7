// test: moved
#include "testing.hpp"

#include <sinter/trace/ops/movement/window.hpp>

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
