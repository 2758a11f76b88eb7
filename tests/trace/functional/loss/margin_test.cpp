// test: moved
#include <sinter/trace/functional/loss/margin.hpp>

#include "numerical_gradients.hpp"

using namespace testing;

namespace {

Tensor a = tensor({1, 2, 3, 0.5, 0, -1}, {2, 3}), b = tensor({1, -1, 2, 2, 2, -1}, {2, 3});
Tensor c = tensor({0, 1, 3, 1, 0, -2}, {2, 3}), labels = vector({1, -1});
const Shared shared{a, b, c, labels};
constexpr Reduction none = Reduction::none;

}  // namespace

// The expected figures are those of torch 2.15.
TEST_CASE("margin losses: want what belongs together nearer by a margin") {
  const Tensor x = vector({0.3f, 0.4f}), y = vector({0.5f, 0.1f});
  CHECK(near(cosine_embedding_loss(a, b, labels, 0.1, none), {0.4544553, 0.4962848}));
  CHECK(near(hinge_embedding_loss(x, labels, 1, none), {0.3, 0.6}));
  CHECK(near(margin_ranking_loss(x, y, labels, 0.1, none), {0.3, 0.4}));
  CHECK(near(soft_margin_loss(x, labels, none), {0.5543552, 0.9130152}));
  CHECK(near(triplet_margin_loss(a, b, c, {.reduction = none}), {2.748064, 2.3819642}));
  CHECK(near(triplet_margin_loss(a, b, c, {.margin = 3, .p = 1, .swap = true, .reduction = none}),
             {5.0, 4.9999981}));
}

TEST_CASE("soft_margin_loss: does not overflow") {
  CHECK(near(soft_margin_loss(vector({1000, 1000}), labels, none), {0, 1000}));
}

TEST_CASE("margin losses: at the margin the gradient flows, as torch's does") {
  const auto loss = [](const Tensor& x) { return sum(hinge_embedding_loss(x, vector({-1}))); };
  CHECK(near(grad(loss)(vector({1})), {-1}));
}

TEST_CASE("margin losses: gradients are those of differences") {
  const Tensor x = noise({2, 3}), y = noise({2, 3}), z = noise({2, 3});
  CHECK(slope_error([&](const Tensor& at) { return cosine_embedding_loss(at, y, labels); }, x) <
        1e-6);
  CHECK(slope_error([&](const Tensor& at) { return triplet_margin_loss(at, y, z); }, x) < 1e-6);
  CHECK(slope_error([&](const Tensor& at) { return soft_margin_loss(at, labels.to(f64)); },
                    noise({2})) < 1e-6);
}

TEST_CASE("margin losses: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(ShapeError, cosine_embedding_loss(a, b, ones({})), "one target for each vector");
  MISTAKE(ShapeError, cosine_embedding_loss(a, ones({2, 4}), labels), "f32[2, 4]");
  MISTAKE(ShapeError, soft_margin_loss(a, labels), "f32[2, 3]", "f32[2]");
  MISTAKE(ShapeError, hinge_embedding_loss(a, labels), "hinge_embedding_loss: ", "f32[2]");
  MISTAKE(ShapeError, margin_ranking_loss(a, a, labels), "margin_ranking_loss: ", "f32[2]");
  MISTAKE(ShapeError, triplet_margin_loss(a, a, ones({4})), "triplet_margin_loss: ", "f32[4]");
}
