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

TEST_CASE("autocast: convolutions, einsum and attention are short as well") {
  const Tensor image = counting({1, 2, 4, 4}), kernel = ones({3, 2, 2, 2});
  const Tensor queries = ones({1, 2, 4});
  const amp::ScopedAutocast scope(f16);
  CHECK(conv1d(ones({1, 2, 4}), ones({3, 2, 2}), ones({3})).dtype() == f16);
  CHECK(conv2d(image, kernel).dtype() == f16);
  CHECK(conv2d(image, kernel, ones({3}), {.stride = 2, .padding = 1}).dtype() == f16);
  CHECK(conv2d(image, ones({2, 1, 2, 2}), {}, {.groups = 2}).dtype() == f16);
  CHECK(conv3d(ones({1, 1, 2, 2, 2}), ones({1, 1, 2, 2, 2})).dtype() == f16);
  CHECK(conv_transpose2d(image, ones({2, 3, 2, 2})).dtype() == f16);
  CHECK(einsum("ij,jk->ik", {weight, weight}).dtype() == f16);
  CHECK(scaled_dot_product_attention(queries, queries, queries).dtype() == f16);
  const Tensor values = matmul(queries, ones({4, 4}));  // f16; queries that were rotated are f32
  CHECK(scaled_dot_product_attention(queries, queries, values).dtype() == f16);
  CHECK(batch_norm(conv2d(image, kernel), zeros({3}), ones({3})).dtype() == f32);
}

TEST_CASE("autocast: gradients of convolutions are those of f32 within the precision of f16") {
  const Tensor image = sin(counting({2, 3, 6, 6})), kernel = cos(counting({4, 3, 3, 3}));
  const auto loss = [&](const Tensor& k) { return mean(square(conv2d(image, k).to(f32))); };
  const Numbers expected = numbers(grad(loss)(kernel));
  const amp::ScopedAutocast scope(f16);
  const auto compiled = compile(grad(loss));
  CHECK(grad(loss)(kernel).dtype() == f32);
  CHECK(near(grad(loss)(kernel), expected, 1e-2));
  CHECK(near(compiled(kernel), expected, 1e-2));
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
