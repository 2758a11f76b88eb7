// test: moved
#include "trace/testing.hpp"

#include <sinter/nn/mode.hpp>
#include <sinter/nn/norm.hpp>
#include <sinter/nn/sequential.hpp>
#include <sinter/trace/module/parameter.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

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

TEST_CASE("BatchNorm1d: normalizes each batch, and keeps what it saw") {
  nn::BatchNorm1d norm{3};
  const Tensor x = add(mul(randn({64, 3}), 2), 5);
  const Tensor y = norm(x);

  CHECK(near(mean(y, 0), Numbers(3, 0), 1e-5));
  CHECK(near(var(y, 0, false, 0), Numbers(3, 1), 1e-4));
  Numbers means = numbers(mean(x, 0)), variances = numbers(var(x, 0));
  for (double& value : means) value *= 0.1;
  for (double& value : variances) value = 0.9 + 0.1 * value;
  CHECK(near(norm.running_mean->value, means, 1e-5));
  CHECK(near(norm.running_var->value, variances, 1e-5));
  CHECK(norm.num_batches_tracked->value.item<std::int64_t>() == 1);
}

TEST_CASE("BatchNorm1d: without a momentum keeps the mean of all batches") {
  nn::BatchNorm1d norm{2, {.momentum = std::nullopt}};
  const Tensor x = randn({8, 2}), y = randn({8, 2}), z = randn({8, 2});
  norm(x), norm(y), norm(z);
  const Tensor all_means = add(add(mean(x, 0), mean(y, 0)), mean(z, 0));
  CHECK(near(norm.running_mean->value, numbers(div(all_means, 3)), 1e-5));
}

TEST_CASE("BatchNorm2d: after eval, is by the running statistics, also where it cannot change") {
  nn::BatchNorm2d norm{2, {.eps = 0}};
  norm.running_mean = vector({1, 2});
  norm.running_var = vector({4, 9});
  nn::eval(norm);
  const nn::BatchNorm2d fixed = norm;
  const Tensor x = tensor({3, 5, 2, 8}, {1, 2, 1, 2});
  CHECK(near(norm(x), {1, 2, 0, 2}));
  CHECK(near(fixed(x), {1, 2, 0, 2}));
  CHECK(norm.num_batches_tracked->value.item<std::int64_t>() == 0);
}

TEST_CASE("BatchNorm2d: state is named as in torch, and is no parameter") {
  const nn::BatchNorm2d norm{2};
  const auto parameters = nn::named_parameters(norm);
  REQUIRE(parameters.size() == 2);
  CHECK(parameters[0].first == "weight");
  CHECK(parameters[1].first == "bias");
  CHECK(nn::named_parameters(nn::BatchNorm2d{2, {.affine = false}}).empty());
}

TEST_CASE("BatchNorm: in a Sequential changes its statistics where that may change") {
  nn::Sequential net{nn::BatchNorm1d{2}};
  net(ones({4, 2}));
  CHECK(near(net.get<0>().running_mean->value, {0.1, 0.1}));
  const auto fixed = net;
  MISTAKE(ValueError, fixed(ones({4, 2})), "cannot be changed", "eval(model)");
}

TEST_CASE("InstanceNorm2d: normalizes each channel alone, and keeps nothing") {
  nn::InstanceNorm2d norm{3};
  const Tensor y = norm(add(randn({2, 3, 8, 8}), 3));
  CHECK(near(mean(y, {2, 3}), Numbers(6, 0), 1e-5));
  CHECK(!norm.running_mean);
  CHECK(nn::named_parameters(norm).empty());
}

TEST_CASE("BatchNorm: mistakes name the line of the caller") {
  nn::BatchNorm2d norm{3};
  nn::BatchNorm1d flat{3};
  MISTAKE(ShapeError, norm(ones({2, 3, 4})), "BatchNorm2d: ", "f32[2, 3, 4]");
  MISTAKE(ShapeError, norm(ones({2, 4, 5, 5})), "batch_norm: ", "f32[2, 4, 5, 5]");
  MISTAKE(ValueError, flat(ones({1, 3})), "one element");
}
