#include "../trace/testing.hpp"

#include <sinter/nn/activation.hpp>

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
}
