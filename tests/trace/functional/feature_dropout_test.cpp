// test: moved
#include <sinter/trace/functional/feature_dropout.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

#include "testing.hpp"

using namespace testing;

TEST_CASE("dropout2d: drops whole channels, and keeps the mean") {
  const Tensor y = dropout2d(ones({64, 32, 3, 2}), 0.25);
  const Numbers of_channels = numbers(reshape(y, {2048, 6}));
  std::size_t dropped = 0;
  for (std::size_t channel = 0; channel < 2048; ++channel) {
    const double first = of_channels[channel * 6];
    for (std::size_t i = 0; i < 6; ++i) CHECK(of_channels[channel * 6 + i] == first);
    CHECK((first == 0 || first == doctest::Approx(1 / 0.75)));
    dropped += first == 0;
  }
  CHECK(static_cast<double>(dropped) / 2048 == doctest::Approx(0.25).epsilon(0.15));
}

TEST_CASE("dropout1d, dropout3d: take inputs without a batch; 0 and 1 drop nothing and all") {
  CHECK(near(dropout1d(ones({3, 2}), 0), Numbers(6, 1)));
  CHECK(near(dropout3d(ones({3, 1, 1, 2}), 1), Numbers(6, 0)));
  CHECK(dropout3d(ones({1, 3, 1, 1, 2}, bf16), 0.5).dtype() == bf16);
}

TEST_CASE("alpha_dropout: keeps mean 0 and deviation 1") {
  const Tensor y = alpha_dropout(randn({100000}), 0.2);
  CHECK(near(mean(y), {0}, 0.02));
  CHECK(near(var(y), {1}, 0.03));
  CHECK(near(alpha_dropout(ones({3}), 0), {1, 1, 1}));
}

TEST_CASE("feature dropout: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(ShapeError, dropout2d(ones({3, 4})), "dropout2d: ", "f32[3, 4]");
  MISTAKE(ValueError, dropout1d(ones({3, 4}), 2), "p is not a probability");
  MISTAKE(ValueError, alpha_dropout(ones({3, 4}), -1), "p is not a probability");
}
