// test: moved
#include "trace/testing.hpp"

#include <sinter/nn/function/activation.hpp>

using namespace testing;

TEST_CASE("activations: are the functions") {
  const Tensor x = vector({-2, -0.5, 0, 0.5, 2});

  CHECK(near(nn::ReLU()(x), numbers(relu(x))));
  CHECK(near(nn::GELU()(x), numbers(gelu(x))));
  CHECK(near(nn::GELU{Gelu::tanh}(x), numbers(gelu(x, Gelu::tanh))));
  CHECK(near(nn::SiLU()(x), numbers(silu(x))));
  CHECK(near(nn::Sigmoid()(x), numbers(sigmoid(x))));
  CHECK(near(nn::Tanh()(x), numbers(tanh(x))));
  CHECK(near(nn::Softmax()(x), numbers(softmax(x, -1))));
  CHECK(near(nn::Softmax{0}(ones({2, 2})), {0.5, 0.5, 0.5, 0.5}));
  CHECK(near(nn::LogSoftmax()(x), numbers(log_softmax(x, -1))));
  CHECK(near(nn::LogSigmoid()(x), numbers(logsigmoid(x))));
  CHECK(near(nn::ReLU6()(x * 4), numbers(relu6(x * 4))));
  CHECK(near(nn::SELU()(x), numbers(selu(x))));
  CHECK(near(nn::Mish()(x), numbers(mish(x))));
  CHECK(near(nn::Hardswish()(x), numbers(hardswish(x))));
  CHECK(near(nn::Hardsigmoid()(x), numbers(hardsigmoid(x))));
  CHECK(near(nn::Softsign()(x), numbers(softsign(x))));
  CHECK(near(nn::GLU()(vector({1, 2, 0, 0})), {0.5, 1}));
}

TEST_CASE("activations: have the options and defaults of torch") {
  const Tensor x = vector({-2, -0.5, 0, 0.5, 2});

  CHECK(near(nn::LeakyReLU()(x), {-0.02, -0.005, 0, 0.5, 2}));
  CHECK(near(nn::LeakyReLU{0.5}(x), {-1, -0.25, 0, 0.5, 2}));
  CHECK(near(nn::ELU()(x), numbers(elu(x))));
  CHECK(near(nn::ELU{.alpha = 2}(x), numbers(elu(x, 2))));
  CHECK(near(nn::Hardtanh()(x), {-1, -0.5, 0, 0.5, 1}));
  CHECK(near(nn::Hardtanh{-0.5, 2}(x), {-0.5, -0.5, 0, 0.5, 2}));
  CHECK(near(nn::Softplus()(x), numbers(softplus(x))));
  CHECK(near(nn::Softplus{.beta = 2, .threshold = 3}(x), numbers(softplus(x, 2, 3))));
}

TEST_CASE("PReLU: has a slope that is a parameter, or one for each channel") {
  const nn::PReLU one, several(2, 0.5);
  CHECK(near(one(vector({-2, 4})), {-0.5, 4}));
  CHECK(to_string(several.weight) == "f32[2]");
  CHECK(near(several(tensor({-2, -2, 1, -4}, {2, 2})), {-1, -1, 1, -2}));
}
