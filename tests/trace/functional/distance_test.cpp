// test: moved
#include <sinter/trace/functional/distance.hpp>

#include "numerical_gradients.hpp"

using namespace testing;

namespace {

Tensor a = tensor({1, 2, 3, 0.5, 0, -1}, {2, 3}), b = tensor({1, -1, 2, 2, 2, -1}, {2, 3});
const Shared shared{a, b};

}  // namespace

// The expected figures are those of torch 2.15.
TEST_CASE("normalize: gives vectors of length 1, in any norm, along any axis") {
  CHECK(near(normalize(a), {0.2672612, 0.5345225, 0.8017837, 0.4472136, 0, -0.8944272}));
  CHECK(near(normalize(a, 1, 0), {0.6666667, 1, 0.75, 0.3333333, 0, -0.25}));
  CHECK(near(normalize(a, 3), {0.3028534, 0.6057069, 0.9085603, 0.4807498, 0, -0.9614997}));
  CHECK(near(normalize(a, HUGE_VAL), {1.0 / 3, 2.0 / 3, 1, 0.5, 0, -1}));
}

TEST_CASE("normalize: zeros stay zeros, with a gradient that is a number") {
  CHECK(near(normalize(zeros({1, 3})), {0, 0, 0}));
  const auto loss = [](const Tensor& x) { return sum(normalize(x)); };
  for (const double slope : numbers(grad(loss)(zeros({1, 3}, f64)))) CHECK(slope == 1e12);
}

TEST_CASE("cosine_similarity, pairwise_distance: compare vectors") {
  CHECK(near(cosine_similarity(a, b), {0.5455447, 0.5962848}));
  CHECK(near(cosine_similarity(a, b, 0), {0.8, -0.4472136, 0.9899495}));
  CHECK(
      near(cosine_similarity(a, vector({1, 1, 1})), {6 / std::sqrt(42.0), -0.5 / std::sqrt(3.75)}));
  CHECK(near(pairwise_distance(a, b), {3.1622789, 2.4999986}));
  CHECK(to_string(pairwise_distance(a, b, 2, 1e-6, true)) == "f32[2, 1]");
}

TEST_CASE("distances: gradients are those of differences") {
  const Tensor x = noise({3, 4}), y = noise({3, 4});
  for (const double p : {1.0, 2.0, 3.0}) {
    CHECK(slope_error([&](const Tensor& at) { return normalize(at, p); }, x) < 1e-6);
    CHECK(slope_error([&](const Tensor& at) { return pairwise_distance(at, y, p); }, x) < 1e-6);
  }
  CHECK(slope_error([&](const Tensor& at) { return cosine_similarity(at, y); }, x) < 1e-6);
}

TEST_CASE("distances: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(IndexError, normalize(a, 2, 2), "normalize: ", "axis  2");
  MISTAKE(IndexError, cosine_similarity(a, b, 5), "cosine_similarity: ");
  MISTAKE(ShapeError, cosine_similarity(a, ones({2, 4})), "cosine_similarity: ", "f32[2, 4]");
  MISTAKE(ShapeError, pairwise_distance(a, ones({2, 4})), "pairwise_distance: ", "f32[2, 4]");
}
