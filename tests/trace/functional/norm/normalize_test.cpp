// test: moved
#include "testing.hpp"

#include <sinter/trace/functional/norm/normalize.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

#include <algorithm>

using namespace testing;

namespace {

// exp(x) / sum(exp(x)) along the rows of a matrix of `width` columns, by plain loops.
Numbers softmax_of_rows(Numbers x, std::size_t width) {
  for (std::size_t row = 0; row < x.size(); row += width) {
    double total = 0;
    for (std::size_t i = row; i < row + width; ++i) total += std::exp(x[i]);
    for (std::size_t i = row; i < row + width; ++i) x[i] = std::exp(x[i]) / total;
  }
  return x;
}

Numbers layer_norm_of_rows(Numbers x, const Numbers& weight, const Numbers& bias, double eps) {
  const std::size_t width = weight.size();
  const auto n = static_cast<double>(width);
  for (std::size_t row = 0; row < x.size(); row += width) {
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < width; ++i) mean += x[row + i] / n;
    for (std::size_t i = 0; i < width; ++i) variance += std::pow(x[row + i] - mean, 2) / n;
    for (std::size_t i = 0; i < width; ++i) {
      x[row + i] = (x[row + i] - mean) / std::sqrt(variance + eps) * weight[i] + bias[i];
    }
  }
  return x;
}

}  // namespace

TEST_CASE("softmax, log_softmax: are the plain loop along any axis") {
  const Tensor x = mul(randn({3, 4, 5}), 3);
  const Numbers expected = softmax_of_rows(numbers(x), 5);
  Numbers logarithms = expected;
  for (double& value : logarithms) value = std::log(value);

  CHECK(near(softmax(x, -1), expected));
  CHECK(near(log_softmax(x, 2), logarithms, 1e-5));
  CHECK(near(transpose(softmax(transpose(x, 0, 2), 0), 0, 2), expected));
  CHECK(softmax(integers({1, 2}), 0).dtype() == f32);
}

TEST_CASE("softmax: does not overflow; -infinity masks, a row of nothing else is NaN") {
  CHECK(near(softmax(vector({1000, 1000, -infinity}), 0), {0.5, 0.5, 0}));
  CHECK(near(log_softmax(vector({-1000, 0}), 0), {-1000, 0}));
  CHECK(near(softmax(vector({-infinity, -infinity}), 0), {not_a_number, not_a_number}));
}

TEST_CASE("softmax: its gradient adds up to 0") {
  const auto loss = [](const Tensor& x) { return sum(mul(softmax(x, -1), vector({1, 2, 3}))); };
  const Tensor x = vector({0, 0, 0});
  CHECK(near(grad(loss)(x), {-1.0 / 3, 0, 1.0 / 3}));
}

TEST_CASE("layer_norm: is the plain loop") {
  const Tensor x = add(randn({7, 12}), 100), weight = randn({12}), bias = randn({12});
  const Numbers expected = layer_norm_of_rows(numbers(x), numbers(weight), numbers(bias), 1e-5);

  CHECK(near(layer_norm(x, weight, bias), expected, 1e-4));
  CHECK(near(layer_norm(reshape(x, {7, 3, 4}), reshape(weight, {3, 4}), reshape(bias, {3, 4})),
             expected, 1e-4));
  CHECK(near(layer_norm(x, ones({12})),
             layer_norm_of_rows(numbers(x), Numbers(12, 1), Numbers(12, 0), 1e-5), 1e-4));
  CHECK(near(layer_norm(x, weight, bias, 1.0),
             layer_norm_of_rows(numbers(x), numbers(weight), numbers(bias), 1.0), 1e-4));
}

TEST_CASE("layer_norm: equal elements give the bias") {
  CHECK(near(layer_norm(full({1, 4}, 3.0), ones({4}), full({4}, 0.5)), {0.5, 0.5, 0.5, 0.5}));
}

TEST_CASE("rms_norm: divides by the root of the mean square") {
  CHECK(near(rms_norm(vector({3, 4}), vector({1, 2}), 0),
             {3 / std::sqrt(12.5), 8 / std::sqrt(12.5)}));
}

TEST_CASE("layer_norm, rms_norm: take the shape that is normalized, as torch does") {
  const Tensor x = randn({2, 3, 4}), weight = randn({4}), bias = randn({4});
  CHECK(alike(layer_norm(x, 4, weight, bias), layer_norm(x, weight, bias)));
  CHECK(alike(layer_norm(x, {4}, weight), layer_norm(x, weight)));
  CHECK(alike(layer_norm(x, {3, 4}), layer_norm_over(x, 2)));
  CHECK(alike(layer_norm(x, {x.size(-1)}, {}, bias, 1.0), add(layer_norm_over(x, 1, 1.0), bias)));
  CHECK(alike(rms_norm(x, 4, weight, 1e-5), rms_norm(x, weight)));
  CHECK(near(rms_norm(full({1, 4}, 1e-4), {4}), Numbers(4, 1e-4 / std::sqrt(1e-8 + 0x1p-23))));
  CHECK(near(rms_norm(tensor({3, 4}, {2, 1}), ones({2, 1}), 0),
             {3 / std::sqrt(12.5), 4 / std::sqrt(12.5)}));
}

TEST_CASE("softmax: casts before if told so; f16 and bf16 compute in f32 and stay") {
  const Tensor x = mul(randn({4, 50}), 5).to(bf16);
  CHECK(softmax(x, -1).dtype() == bf16);
  CHECK(alike(softmax(x, -1, f32), softmax(x.to(f32), -1)));
  CHECK(alike(log_softmax(x, -1), log_softmax(x.to(f32), -1), 0.01));
  CHECK(alike(softmin(x.to(f32), 0), softmax(neg(x.to(f32)), 0)));
  CHECK(layer_norm(x, ones({50})).dtype() == bf16);
}

TEST_CASE("normalize: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({4, 6});

  MISTAKE(IndexError, softmax(x, 2), "softmax: ", "f32[4, 6]", "axis  2");
  MISTAKE(IndexError, log_softmax(x, -3), "log_softmax: ", "axis  -3");
  MISTAKE(ShapeError, layer_norm(x, ones({5})), "layer_norm: ", "f32[4, 6]", "f32[5]");
  MISTAKE(ShapeError, layer_norm(x, ones({6}), ones({5})), "f32[5]");
  MISTAKE(ShapeError, rms_norm(x, ones({})), "rms_norm: ", "f32[]");
  MISTAKE(ShapeError, layer_norm(x, 5), "layer_norm: ", "f32[4, 6]", "[5]");
  MISTAKE(ShapeError, layer_norm(x, {4}), "not end in the normalized shape", "f32[4, 6]", "[4]");
  MISTAKE(ShapeError, rms_norm(x, {4}), "not end in the normalized shape", "f32[4, 6]", "[4]");
  MISTAKE(ShapeError, layer_norm(x, {4}, ones({6})), "not end in the normalized shape", "[4]");
  MISTAKE(ShapeError, layer_norm(x, 6, ones({4, 6})), "does not have the rank", "f32[4, 6]");
  MISTAKE(ShapeError, rms_norm(x, 6, ones({1})), "the weight does not fit", "f32[1]");
  MISTAKE(IndexError, softmin(x, 2), "softmin: ", "axis  2");
}

TEST_CASE("softmax: one number is a row of one element") {
  CHECK(near(softmax(3.0f, 0), {1}));
  CHECK(near(log_softmax(ones({}, bf16), -1), {0}));
  CHECK(near(softmin(ones({}, f64), 0), {1}));
  CHECK(softmax(ones({}, bf16), -1).type().shape.empty());
  CHECK(near(grad([](const Tensor& x) { return softmax(x, 0); })(ones({})), {0}));
  MISTAKE(IndexError, softmax(ones({}), 1), "softmax: ", "axis  1");
  MISTAKE(ShapeError, layer_norm(ones({2, 3}), ones({3}), ones({4})), "layer_norm: ", "f32[4]");
}

TEST_CASE("softmax: of an empty axis is empty") {
  CHECK(softmax(zeros({3, 0}), -1).to_vector<float>().empty());
  CHECK(log_softmax(zeros({0, 6}), 0).to_vector<float>().empty());
}
