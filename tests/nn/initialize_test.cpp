// test: moved
#include "trace/testing.hpp"

#include <sinter/nn/initialize.hpp>
#include <sinter/trace/ops/creation/random.hpp>

#include <algorithm>

using namespace testing;

namespace {

struct Moments {
  double largest = 0, mean = 0, deviation = 0;
};

Moments moments_of(const Tensor& x) {
  Moments result;
  const Numbers list = numbers(x);
  const auto count = static_cast<double>(list.size());
  for (const double value : list) {
    result.largest = std::max(result.largest, std::fabs(value));
    result.mean += value / count;
  }
  for (const double value : list) {
    result.deviation += (value - result.mean) * (value - result.mean) / count;
  }
  result.deviation = std::sqrt(result.deviation);
  return result;
}

bool is_about(double found, double expected) { return std::fabs(found / expected - 1) < 0.03; }

}  // namespace

TEST_CASE("init: fills a tensor of any dtype, which keeps it, and gives it back") {
  Tensor x = ones({2, 3}, f64);
  CHECK(&nn::init::zeros_(x) == &x);
  CHECK(near(x, Numbers(6, 0)));
  CHECK(near(nn::init::constant_(x, 0.1), Numbers(6, 0.1), 1e-15));
  CHECK(near(nn::init::eye_(x), {1, 0, 0, 0, 1, 0}));
  CHECK(near(nn::init::ones_(x), Numbers(6, 1)));
  CHECK(x.dtype() == f64);
}

TEST_CASE("init: uniform_ and normal_ have the moments they are asked for") {
  random::manual_seed(1);
  Tensor x = ones({100, 100});
  const Moments uniform = moments_of(nn::init::uniform_(x, 1, 3));
  CHECK(is_about(uniform.mean, 2));
  CHECK(is_about(uniform.deviation, 2 / std::sqrt(12)));
  const Moments normal = moments_of(nn::init::normal_(x, 1, 0.5));
  CHECK(is_about(normal.mean, 1));
  CHECK(is_about(normal.deviation, 0.5));
}

TEST_CASE("init: xavier and kaiming have the ranges and deviations of torch") {
  random::manual_seed(1);
  Tensor x = ones({50, 40, 3, 3});  // 360 inputs, 450 outputs
  CHECK(is_about(moments_of(nn::init::xavier_uniform_(x, 2)).largest, 2 * std::sqrt(6 / 810.0)));
  CHECK(is_about(moments_of(nn::init::xavier_normal_(x)).deviation, std::sqrt(2 / 810.0)));
  CHECK(is_about(moments_of(nn::init::kaiming_uniform_(x)).largest, std::sqrt(6 / 360.0)));
  const nn::init::KaimingOptions options{.mode = nn::init::Fan::out,
                                         .nonlinearity = nn::init::Nonlinearity::tanh};
  CHECK(is_about(moments_of(nn::init::kaiming_normal_(x, options)).deviation,
                 5.0 / 3 / std::sqrt(450)));
  const Moments linear = moments_of(nn::init::kaiming_uniform_(x, {.a = std::sqrt(5)}));
  CHECK(is_about(linear.largest, 1 / std::sqrt(360)));
  CHECK(nn::init::calculate_gain(nn::init::Nonlinearity::relu) == std::sqrt(2.0));
}

TEST_CASE("init: mistakes name the line of the caller") {
  Tensor x = ones({3});
  MISTAKE(ShapeError, nn::init::xavier_uniform_(x), "xavier_uniform_: ", "f32[3]");
  MISTAKE(ShapeError, nn::init::kaiming_normal_(x), "kaiming_normal_: ", "f32[3]");
  MISTAKE(ShapeError, nn::init::eye_(x), "eye_: ", "f32[3]");
}

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
