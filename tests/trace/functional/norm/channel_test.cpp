// test: moved
#include <sinter/trace/functional/norm/channel.hpp>

#include "numerical_gradients.hpp"

using namespace testing;

namespace {

// Mean and variance of the elements x[i] with key(i) == k, divided by n - correction.
struct Moments {
  double mean = 0, variance = 0;
  template <class Key>
  Moments(const Numbers& x, Key key, std::size_t k, double correction = 0) {
    double count = 0;
    for (std::size_t i = 0; i < x.size(); ++i) count += key(i) == k, mean += key(i) == k ? x[i] : 0;
    mean /= count;
    for (std::size_t i = 0; i < x.size(); ++i) {
      variance += key(i) == k ? (x[i] - mean) * (x[i] - mean) : 0;
    }
    variance /= count - correction;
  }
};

// Each element of x by the moments of all that have the same key.
template <class Key>
Numbers standardized(const Numbers& x, Key key, double eps = 1e-5) {
  Numbers result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Moments own(x, key, key(i));
    result.push_back((x[i] - own.mean) / std::sqrt(own.variance + eps));
  }
  return result;
}

Tensor x = noise({3, 4, 5});
const Shared shared{x};
std::size_t channel(std::size_t i) { return i / 5 % 4; }
std::size_t instance(std::size_t i) { return i / 5; }
std::size_t group(std::size_t i) { return i / 10; }

}  // namespace

TEST_CASE("batch_norm: of a training batch is by its own statistics") {
  const Numbers expected = standardized(numbers(x), channel);
  CHECK(near(batch_norm(x, std::nullopt, std::nullopt, std::nullopt, std::nullopt, true), expected,
             1e-12));
  CHECK(near(batch_norm(x, std::nullopt, std::nullopt), expected, 1e-12));
  CHECK(near(batch_norm(x, {}, {}), expected, 1e-12));
  CHECK(near(batch_norm(x, {}, {}, {}, {}, true), expected, 1e-12));
  Numbers scaled = expected;
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    scaled[i] = scaled[i] * static_cast<double>(channel(i)) + 1;
  }
  CHECK(near(batch_norm(x, std::nullopt, std::nullopt, vector({0, 1, 2, 3}), ones({4}), true),
             scaled, 1e-12));
}

TEST_CASE("batch_norm: the running statistics move by the momentum, the variance by n - 1") {
  Tensor mean = ones({4}, f64), variance = full({4}, 2.0, f64);
  batch_norm(x, mean, variance, std::nullopt, std::nullopt, true, 0.25);
  Numbers means, variances;
  for (std::size_t c = 0; c < 4; ++c) {
    const Moments own(numbers(x), channel, c, 1);
    means.push_back(0.75 * 1 + 0.25 * own.mean);
    variances.push_back(0.75 * 2 + 0.25 * own.variance);
  }
  CHECK(near(mean, means, 1e-12));
  CHECK(near(variance, variances, 1e-12));
}

TEST_CASE("batch_norm: of a model that is used is by the running statistics, which stay") {
  Tensor mean = from_vector<double>({1, 2, 3, 4}, {4}), variance = full({4}, 4.0, f64);
  const Tensor y = batch_norm(x, mean, variance, std::nullopt, std::nullopt, false, 0.1, 0);
  Numbers expected = numbers(x);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = (expected[i] - static_cast<double>(channel(i) + 1)) / 2;
  }
  CHECK(near(y, expected, 1e-12));
  CHECK(near(mean, {1, 2, 3, 4}));
}

TEST_CASE("instance_norm: is by each channel of each element of the batch") {
  CHECK(near(instance_norm(x), standardized(numbers(x), instance), 1e-12));
  Tensor mean = zeros({4}, f64), variance = zeros({4}, f64);
  instance_norm(x, mean, variance, std::nullopt, std::nullopt, true, 1.0);
  Numbers means, variances;
  for (std::size_t c = 0; c < 4; ++c) {
    double total = 0, spread = 0;
    for (std::size_t n = 0; n < 3; ++n) {
      const Moments own(numbers(x), instance, n * 4 + c, 1);
      total += own.mean / 3, spread += own.variance / 3;
    }
    means.push_back(total), variances.push_back(spread);
  }
  CHECK(near(mean, means, 1e-12));
  CHECK(near(variance, variances, 1e-12));
}

TEST_CASE("group_norm: is by groups of channels; one group is the whole element") {
  CHECK(near(group_norm(x, 2), standardized(numbers(x), group), 1e-12));
  CHECK(near(group_norm(x, 4), standardized(numbers(x), instance), 1e-12));
  const Tensor shifted = group_norm(slice(x, 0, 0, 1), 2, zeros({4}), vector({1, 2, 3, 4}));
  CHECK(near(shifted, {1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4}));
}

TEST_CASE("local_response_norm: divides by the power of neighbouring channels") {
  const Tensor y = local_response_norm(tensor({1, 2, 3}, {1, 3, 1}), 3, 3, 1, 1);
  CHECK(near(y, {1.0 / (1 + 5), 2.0 / (1 + 14), 3.0 / (1 + 13)}));
}

TEST_CASE("channel norms: half dtypes compute in f32 and stay") {
  const Tensor wide = add(mul(x.to(f32), 0.01), 100.0);
  const Tensor y = group_norm(wide.to(bf16), 2);
  CHECK(y.dtype() == bf16);
  CHECK(near(y, numbers(group_norm(wide.to(bf16).to(f32), 2)), 0.01));
}

TEST_CASE("channel norms: gradients are those of differences") {
  const auto batch = [](const Tensor& y) {
    return batch_norm(y, std::nullopt, std::nullopt, std::nullopt, std::nullopt, true);
  };
  CHECK(slope_error(batch, x) < 1e-6);
  CHECK(slope_error([](const Tensor& y) { return group_norm(y, 2); }, x) < 1e-6);
  CHECK(slope_error([](const Tensor& y) { return instance_norm(y); }, x) < 1e-6);
  CHECK(slope_error([](const Tensor& y) { return local_response_norm(y, 3); }, x) < 1e-6);
}

TEST_CASE("channel norms: mistakes name the line, the values, the rule and the way out") {
  const Tensor image = ones({2, 4, 3});
  Tensor mean = zeros({4}), variance = ones({4});
  const Tensor fixed = zeros({4});

  MISTAKE(ShapeError, batch_norm(ones({4}), mean, variance), "batch_norm: ", "f32[4]");
  MISTAKE(ShapeError, batch_norm(image, zeros({3}), ones({3})), "running mean", "f32[3]");
  MISTAKE(ShapeError, group_norm(image, 3), "group_norm: ", "groups 3");
  MISTAKE(ShapeError, group_norm(image, 2, ones({3})), "weight", "f32[3]");
  MISTAKE(ValueError, batch_norm(image, mean, std::nullopt), "missing");
  MISTAKE(ValueError, batch_norm(image, fixed, fixed, {}, {}, true), "cannot be changed");
  MISTAKE(ValueError, batch_norm(ones({1, 4}), mean, variance, {}, {}, true), "one element");
  MISTAKE(ValueError, batch_norm(ones({0, 4, 3}), mean, variance, {}, {}, true), "no elements",
          "f32[0, 4, 3]", "leave out batches of no samples");
}
