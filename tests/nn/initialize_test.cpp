#include "../trace/testing.hpp"

#include <sinter/nn/initialize.hpp>
#include <sinter/trace/random.hpp>

#include <algorithm>

using namespace testing;

TEST_CASE("uniform_by_inputs: is uniform in the range of torch") {
  random::manual_seed(1);
  const Numbers x = numbers(nn::uniform_by_inputs({200, 100}, 16));
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  double mean = 0, square = 0;
  for (const double value : x) mean += value / 20'000, square += value * value / 20'000;

  CHECK(*low >= -0.25);
  CHECK(*low < -0.249);
  CHECK(*high < 0.25);
  CHECK(*high > 0.249);
  CHECK(std::fabs(mean) < 0.005);
  CHECK(std::fabs(square - 0.25 * 0.25 / 3) < 0.0005);
}

TEST_CASE("uniform_by_inputs: without inputs is 0") {
  CHECK(near(nn::uniform_by_inputs({2}, 0), {0, 0}));
}
