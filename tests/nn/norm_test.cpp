#include "../trace/testing.hpp"

#include <sinter/nn/norm.hpp>
#include <sinter/trace/movement.hpp>
#include <sinter/trace/parameter.hpp>
#include <sinter/trace/random.hpp>
#include <sinter/trace/reduce.hpp>

using namespace testing;

TEST_CASE("LayerNorm: starts as the normalized input") {
  const nn::LayerNorm norm{8};
  const Tensor y = norm(add(mul(randn({4, 8}), 3), 5));

  CHECK(near(mean(y, -1), Numbers(4, 0), 1e-5));
  CHECK(near(var(y, -1, false, 0), Numbers(4, 1), 1e-4));
  CHECK(near(norm.weight, Numbers(8, 1)));
  CHECK(near(norm.bias.value(), Numbers(8, 0)));
}

TEST_CASE("LayerNorm: scales and shifts, over several axes if told so") {
  nn::LayerNorm norm{{2, 2}, {.eps = 0}};
  norm.weight = full({2, 2}, 2.0);
  norm.bias = full({2, 2}, 1.0);
  CHECK(near(norm(tensor({-1, 1, -1, 1}, {1, 2, 2})), {-1, 3, -1, 3}));
}

TEST_CASE("LayerNorm: without a bias has one parameter") {
  const nn::LayerNorm norm{4, {.bias = false}};
  CHECK(nn::named_parameters(norm).size() == 1);
  CHECK(norm.eps == 1e-5);
}

TEST_CASE("RMSNorm: divides by the root of the mean square") {
  const nn::RMSNorm norm{2, {.eps = 0}};
  CHECK(near(norm(vector({3, 4})), {3 / std::sqrt(12.5), 4 / std::sqrt(12.5)}));
}

TEST_CASE("RMSNorm: the least power is the step of the dtype, as torch's") {
  const nn::RMSNorm norm{2};
  CHECK(!norm.eps);
  CHECK(near(norm(vector({1e-4f, 1e-4f})), Numbers(2, 1e-4 / std::sqrt(1e-8 + 0x1p-23)), 1e-5));
}

TEST_CASE("GroupNorm: normalizes groups of channels, then scales each channel") {
  nn::GroupNorm norm{2, 4};
  norm.weight = vector({1, 2, 1, 1});
  const Tensor x = randn({3, 4, 5}), y = norm(x);
  CHECK(near(y, numbers(group_norm(x, 2, *norm.weight, *norm.bias))));
  CHECK(nn::named_parameters(norm).size() == 2);
  CHECK(nn::named_parameters(nn::GroupNorm{2, 4, {.affine = false}}).empty());
}

TEST_CASE("norms: mistakes name the line of the caller") {
  const nn::LayerNorm layer{4};
  const nn::RMSNorm rms{4};
  MISTAKE(ShapeError, layer(ones({4, 5})), "layer_norm: ", "f32[4, 5]", "f32[4]");
  MISTAKE(ShapeError, rms(ones({4, 5})), "rms_norm: ", "f32[4, 5]", "f32[4]");
  MISTAKE(ValueError, (nn::GroupNorm{3, 4}), "GroupNorm: ", "groups 3", "channels 4");
  MISTAKE(ValueError, (nn::GroupNorm{0, 4}), "GroupNorm: ", "groups >= 1");
}
