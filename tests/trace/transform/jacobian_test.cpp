// test: moved
#include "testing.hpp"

#include <sinter/nn/linear.hpp>
#include <sinter/trace/functional/activation.hpp>
#include <sinter/trace/ops/creation/random.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/index.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/product/product.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/transform/jacobian.hpp>

using namespace testing;

namespace {

Tensor cubes(const Tensor& x) { return x * x * x; }

std::tuple<Tensor, Tensor> product_and_sum(const Tensor& x, const Tensor& y) {
  return {x * y, sum(x) + sum(y)};
}

bool same_shape(const Tensor& x, const Shape& shape) { return same(x.shape(), shape); }

}  // namespace

TEST_CASE("vjp: the value, and gradients for as many gradients of it as one likes") {
  const auto [value, pullback] = vjp(cubes, vector({1, 2, 3}));
  CHECK(near(value, {1, 8, 27}));
  CHECK(near(pullback(ones({3})), {3, 12, 27}));
  CHECK(near(pullback(vector({1, 0, 2})), {3, 0, 54}));
}

TEST_CASE("vjp: several primals and results are tuples") {
  const Tensor x = vector({1, 2}), y = vector({3, 4});
  const auto [value, pullback] = vjp(product_and_sum, x, y);
  CHECK(near(std::get<0>(value), {3, 8}));
  CHECK(near(std::get<1>(value), {10}));
  const auto [dx, dy] = pullback(std::tuple{vector({1, 1}), full({}, 10.0f)});
  CHECK(near(dx, {13, 14}));
  CHECK(near(dy, {11, 12}));
}

TEST_CASE("vjp: gradients have the structure of a module") {
  const nn::Linear layer(2, 3);
  const Tensor x = vector({1, 2});
  const auto [value, pullback] = vjp([&](const nn::Linear& l) { return l(x); }, layer);
  const nn::Linear gradient = pullback(ones_like(value));
  CHECK(near(gradient.weight, {1, 2, 1, 2, 1, 2}));
  CHECK(near(*gradient.bias, {1, 1, 1}));
}

TEST_CASE("vjp: its gradients are differentiated again") {
  const auto slope = [](const Tensor& x) {
    const auto [value, pullback] = vjp(cubes, x);
    return sum(pullback(value));  // 3 x^2 x^3
  };
  CHECK(near(grad(slope)(vector({1, 2})), {15, 240}));
}

TEST_CASE("vjp: reads on the host are allowed") {
  const auto f = [](const Tensor& x) {
    if (sum(x) > 0) return x * 2;
    return x * 3;
  };
  CHECK(near(vjp(f, vector({1})).pullback(ones({1})), {2}));
  CHECK(near(vjp(f, vector({-1})).pullback(ones({1})), {3}));
}

TEST_CASE("jvp: the value, and its derivative along the tangents") {
  const auto [value, tangent] = jvp(cubes, vector({1, 2, 3}), vector({1, 0, 2}));
  CHECK(near(value, {1, 8, 27}));
  CHECK(near(tangent, {3, 0, 54}));
  const auto both = jvp(product_and_sum, std::tuple{vector({1, 2}), vector({3, 4})},
                        std::tuple{vector({1, 0}), vector({0, 1})});
  CHECK(near(std::get<0>(both.tangent), {3, 2}));
  CHECK(near(std::get<1>(both.tangent), {2}));
}

TEST_CASE("jvp: the derivative of what does not depend on the primals is 0") {
  const auto found = jvp([](const Tensor&) { return ones({2}); }, vector({1}), vector({5}));
  CHECK(near(found.tangent, {0, 0}));
}

TEST_CASE("jvp: through a scan, and its gradient") {
  const auto last = [](const Tensor& x) {
    return scan(
               [](const Tensor& c, const Tensor& v) {
                 return std::pair{c * v, c};
               },
               ones({}), x)
        .first;
  };
  const Tensor x = vector({2, 3, 4});
  CHECK(near(jvp(last, x, vector({1, 1, 1})).tangent, {12 + 8 + 6}));
  const auto along = [&](const Tensor& v) { return jvp(last, v, ones({3})).tangent; };
  CHECK(near(grad(along)(x), {7, 6, 5}));
}

TEST_CASE("jvp: a result of a loop may be read before the tangent that uses it") {
  const auto step = [](const Tensor& c, const Tensor& v) { return std::pair{c * v, c + v}; };
  const Tensor x = vector({2, 3, 4});
  const Tensor sums = scan(step, ones({}), x).second;
  const auto scaled = [&](const Tensor& v) { return v * sums; };
  const Tensor tangent = jvp(scaled, x, ones({3})).tangent;
  CHECK(near(sums, {3, 5, 10}));
  CHECK(near(jvp([&](const Tensor& v) { return v * tangent; }, x, sums).tangent, {9, 25, 100}));
  CHECK(near(tangent, {3, 5, 10}));
}

TEST_CASE("jacrev, jacfwd: the Jacobian, from either side") {
  const auto f = [](const Tensor& x) { return reshape(x, {3, 1}) * (x * x); };
  const Tensor x = vector({1, 2, 3});
  const Tensor back = jacrev(f)(x), ahead = jacfwd(f)(x);
  CHECK(same_shape(back, {3, 3, 3}));
  CHECK(near(back, numbers(ahead)));
  CHECK(near(back[1], {4, 1, 0, 0, 12, 0, 0, 9, 12}));
  const auto g = [](const Tensor& a, const Tensor& b) { return matmul(a, b); };
  const Tensor a = counting({2, 3}), b = counting({3});
  CHECK(near(jacrev(g, 1)(a, b), {0, 1, 2, 3, 4, 5}));
  CHECK(near(jacfwd(g, 1)(a, b), {0, 1, 2, 3, 4, 5}));
  CHECK(same_shape(jacrev(g)(a, b), {2, 2, 3}));
}

TEST_CASE("hessian: the second derivatives") {
  const auto f = [](const Tensor& x) { return sum(x * x * x) + x[0] * x[1]; };
  CHECK(near(hessian(f)(vector({1, 2})), {6, 1, 1, 12}));
}

TEST_CASE("vjp, jvp: mistakes name what does not fit") {
  const Tensor x = vector({1, 2, 3});
  const auto wrong = vjp(cubes, x).pullback;
  CHECK_THROWS_AS(wrong(ones({2})), ShapeError);
  CHECK_THROWS_AS(wrong(ones({3}, f64)), DTypeError);
  CHECK_THROWS_AS(vjp(cubes, integers({1})), GradientError);
  expect_mistake<ShapeError>([&] { jvp(cubes, x, ones({2})); },
                             {"jvp: the tangent has another shape", "f32[2]", "f32[3]"},
                             Where::current().line() - 2, __FILE__);
}
