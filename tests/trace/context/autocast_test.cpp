// test: moved
#include <sinter/sinter.hpp>

#include "testing.hpp"

using namespace testing;

namespace {

Tensor x = vector({1, 2, 3, 4}), weight = counting({4, 4});
const Shared shared{x, weight};

}  // namespace

TEST_CASE("autocast: products are short while a scope lives, and what is added up is wide") {
  const Tensor matrix = reshape(x, {2, 2});
  {
    const amp::ScopedAutocast scope(bf16);
    CHECK(matmul(matrix, matrix).dtype() == bf16);
    CHECK(linear(x, weight).dtype() == bf16);
    CHECK(linear(x, weight, x).dtype() == bf16);
    CHECK(softmax(linear(x, weight), -1).dtype() == f32);
    CHECK(layer_norm(x.to(bf16), x).dtype() == f32);
    CHECK(rms_norm(x.to(bf16), x).dtype() == f32);
    CHECK(mse_loss(x.to(bf16), x.to(bf16)).dtype() == f32);
    CHECK(l1_loss(x.to(bf16), x.to(bf16)).dtype() == f32);
    CHECK(matmul(matrix.to(f64), matrix).dtype() == f64);
    CHECK(matmul(matrix.to(i64), matrix.to(i64)).dtype() == i64);
    CHECK((x + x).dtype() == f32);
  }
  CHECK(matmul(matrix, matrix).dtype() == f32);
}

TEST_CASE("autocast: scopes nest, and f32 turns the mode off") {
  CHECK_FALSE(autocast_dtype());
  const amp::ScopedAutocast outer;
  CHECK(*autocast_dtype() == bf16);
  {
    const amp::ScopedAutocast inner(f16);
    CHECK(*autocast_dtype() == f16);
    const amp::ScopedAutocast off(f32);
    CHECK_FALSE(autocast_dtype());
  }
  CHECK(*autocast_dtype() == bf16);
}

TEST_CASE("autocast: other dtypes are refused") {
  MISTAKE(DTypeError, amp::ScopedAutocast(i64), "i64");
  MISTAKE(DTypeError, amp::ScopedAutocast(f64), "f64");
}

TEST_CASE("autocast: gradients have the dtype of what they are of") {
  const amp::ScopedAutocast scope;
  const auto gradient = grad([](const Tensor& w) { return sum(linear(x, w)); });
  CHECK(gradient(weight).dtype() == f32);
}

TEST_CASE("autocast: a compiled function is recorded once for each mode") {
  const auto f = compile([](const Tensor& v, const Tensor& w) { return linear(v, w); });
  for (int again = 0; again < 2; ++again) {
    CHECK(f(x, weight).dtype() == f32);
    const amp::ScopedAutocast scope;
    CHECK(f(x, weight).dtype() == bf16);
    CHECK(near(f(x, weight).to(f32), numbers(linear(x, weight)), 1e-2));
  }
  CHECK(f.stats().recompiles == 1);
  REQUIRE(f.explain().recompiles.size() == 1);
  CHECK(f.explain().recompiles[0].find("autocast") != std::string::npos);
}
