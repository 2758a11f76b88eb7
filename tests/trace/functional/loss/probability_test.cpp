// test: moved
#include <sinter/trace/functional/activation.hpp>
#include <sinter/trace/functional/loss/probability.hpp>

#include "numerical_gradients.hpp"

using namespace testing;

namespace {

Tensor x = tensor({1, -2, 3, 0.5, 0, -1}, {2, 3});
Tensor target = tensor({0.2f, 1, 0, 0.5, 0, 1}, {2, 3});
const Shared shared{x, target};

}  // namespace

// The expected figures are those of torch 2.15.
TEST_CASE("binary_cross_entropy: of probabilities and of logits") {
  CHECK(near(binary_cross_entropy(sigmoid(x), target), {1.5032105}));
  CHECK(near(binary_cross_entropy_with_logits(x, target, {.reduction = Reduction::none}),
             {1.1132617, 2.1269281, 3.0485873, 0.724077, 0.6931472, 1.3132617}));
  CHECK(near(binary_cross_entropy_with_logits(
                 x, target, {.weight = add(target, 1), .pos_weight = vector({1, 2, 3})}),
             {3.7585077}));
  CHECK(near(binary_cross_entropy_with_logits(vector({1000, -1000}), vector({0, 1})), {1000}));
}

TEST_CASE("binary_cross_entropy: logarithms end at -100, and the gradient is a number") {
  const Tensor sure = vector({0, 1, 0, 1}), goal = vector({1, 0, 0, 1});
  CHECK(near(binary_cross_entropy(sure, goal, {.reduction = Reduction::none}), {100, 100, 0, 0}));
  const auto loss = [&](const Tensor& y) {
    return binary_cross_entropy(y, goal, {.reduction = Reduction::sum});
  };
  CHECK(near(grad(loss)(sure), {-1e12, 1e12, 0, 0}));
}

TEST_CASE("poisson_nll_loss, gaussian_nll_loss: are -log of the distribution") {
  CHECK(near(poisson_nll_loss(x, mul(target, 3), {.full = true, .reduction = Reduction::none}),
             {2.1182818, 7.8994169, 20.085537, 1.12859, 1.0, 5.1319609}));
  CHECK(near(poisson_nll_loss(abs(x), mul(target, 3), {.log_input = false}), {1.0767132}));
  CHECK(near(gaussian_nll_loss(x, target, vector({0.5, 2}), {.reduction = Reduction::none}),
             {0.2934265, 8.6534262, 8.6534262, 0.3465736, 0.3465736, 1.3465736}));
  CHECK(near(gaussian_nll_loss(x, target, target, {.full = true, .eps = 0.1}), {9.1932926}));
}

TEST_CASE("probability losses: gradients are those of differences") {
  const Tensor logits = noise({3, 4}), goal = sigmoid(noise({3, 4})), p = sigmoid(noise({3, 4}));
  const auto of_logits = [&](const Tensor& y) {
    return binary_cross_entropy_with_logits(y, goal,
                                            {.pos_weight = from_vector<double>({1, 2, 3, 4}, {4})});
  };
  CHECK(slope_error(of_logits, logits) < 1e-7);
  CHECK(slope_error([&](const Tensor& y) { return binary_cross_entropy(y, goal); }, p) < 1e-6);
  CHECK(slope_error([&](const Tensor& y) { return binary_cross_entropy(p, y); }, goal) < 1e-6);
  CHECK(slope_error([&](const Tensor& y) { return poisson_nll_loss(y, goal); }, logits) < 1e-7);
  CHECK(slope_error([&](const Tensor& y) { return gaussian_nll_loss(logits, goal, y); }, p) < 1e-6);
}

TEST_CASE("probability losses: mistakes name the line, the values, the rule and the way out") {
  MISTAKE(ShapeError, binary_cross_entropy(x, ones({3})), "binary_cross_entropy: ", "f32[3]");
  MISTAKE(ShapeError, binary_cross_entropy_with_logits(x, ones({2, 1})), "f32[2, 1]");
  MISTAKE(ShapeError, poisson_nll_loss(ones({2, 3}), ones({2})), "poisson_nll_loss: ", "f32[2]");
  MISTAKE(ShapeError, gaussian_nll_loss(ones({2, 3}), ones({2}), x), "gaussian_nll_loss: ");
  MISTAKE(ValueError, binary_cross_entropy(x, x, {.pos_weight = x}), "pos_weight");
  MISTAKE(ValueError, poisson_nll_loss(x, x, {.reduction = Reduction::batchmean}), "batchmean");
}
