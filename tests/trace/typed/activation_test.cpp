// test: moved
#include <sinter/trace/typed/activation.hpp>

#include "typed_agreement.hpp"

using namespace typed_agreement;

TEST_CASE("typed activation: gives what the untyped functions give") {
  CHECK(agree(relu(x), relu(untyped)));
  CHECK(agree(relu6(x), relu6(untyped)));
  CHECK(agree(sigmoid(x), sigmoid(untyped)));
  CHECK(agree(logsigmoid(x), logsigmoid(untyped)));
  CHECK(agree(silu(x), silu(untyped)));
  CHECK(agree(mish(x), mish(untyped)));
  CHECK(agree(selu(x), selu(untyped)));
  CHECK(agree(softsign(x), softsign(untyped)));
  CHECK(agree(tanhshrink(x), tanhshrink(untyped)));
  CHECK(agree(hardsigmoid(x), hardsigmoid(untyped)));
  CHECK(agree(hardswish(x), hardswish(untyped)));
  CHECK(agree(leaky_relu(x), leaky_relu(untyped)));
  CHECK(agree(hardtanh(x), hardtanh(untyped)));
  CHECK(agree(elu(x), elu(untyped)));
  CHECK(agree(celu(x), celu(untyped)));
  CHECK(agree(softplus(x), softplus(untyped)));
  CHECK(agree(softshrink(x), softshrink(untyped)));
  CHECK(agree(hardshrink(x), hardshrink(untyped)));
  CHECK(agree(logit(x), logit(untyped)));
  CHECK(agree(gelu(x), gelu(untyped)));
  CHECK(agree(leaky_relu(x, 0.2), leaky_relu(untyped, 0.2)));
  CHECK(agree(hardtanh(x, -2, 2), hardtanh(untyped, -2, 2)));
  CHECK(agree(elu(x, 0.5), elu(untyped, 0.5)));
  CHECK(agree(softplus(x, 2, 5), softplus(untyped, 2, 5)));
  CHECK(agree(threshold(x, 0.5, 7), threshold(untyped, 0.5, 7)));
  CHECK(agree(gelu(x, Gelu::tanh), gelu(untyped, Gelu::tanh)));
}

TEST_CASE("typed activation: those without parameters are part of an expression") {
  const auto expression = relu(x * 2) + gelu(x);
  static_assert(decltype(expression)::leaves == 3);
  CHECK(alike(expression, relu(untyped * 2) + gelu(untyped)));
}
