#include <sinter/nn/batch_norm.hpp>
#include <sinter/nn/mode.hpp>
#include <sinter/nn/sequential.hpp>
#include <sinter/trace/parameter.hpp>
#include <sinter/trace/random.hpp>
#include <sinter/trace/reduce.hpp>

#include "../trace/testing.hpp"

using namespace testing;

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
