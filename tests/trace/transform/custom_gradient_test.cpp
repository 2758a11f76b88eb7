// test: moved
#include "testing.hpp"

#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/custom_gradient.hpp>
#include <sinter/trace/transform/grad.hpp>
#include <sinter/trace/transform/vmap.hpp>

using namespace testing;

namespace {

// x^3, whose gradient is said to be 10 x, so that it is seen which one is used.
Tensor cube(const Tensor& x) { return x * x * x; }
Tensor ten_times(const Tensor& x, const Tensor&, const Tensor& g) { return 10 * x * g; }
const auto odd_cube = custom_gradient(cube, ten_times);

}  // namespace

TEST_CASE("custom_gradient: the value is that of forward, the gradient what backward says") {
  const Tensor x = vector({1, 2, 3});
  CHECK(near(odd_cube(x), {1, 8, 27}));
  CHECK(near(grad([](const Tensor& v) { return sum(odd_cube(v)); })(x), {10, 20, 30}));
  CHECK(near(grad([](const Tensor& v) { return sum(2 * odd_cube(v * v)); })(x), {40, 320, 1080}));
}

TEST_CASE("custom_gradient: second derivatives are those of backward") {
  const auto first = [](const Tensor& x) {
    return sum(grad([](const Tensor& v) { return sum(odd_cube(v)); })(x));
  };
  CHECK(near(grad(first)(vector({1, 2})), {10, 10}));
}

TEST_CASE("custom_gradient: backward gets arguments, results and their gradients") {
  // {x * y, x + y}; the third argument, an integer, has no gradient.
  const auto f = custom_gradient(
      [](const Tensor& x, const Tensor& y, const Tensor& n) {
        return std::tuple{x * y * n.to(f32), x + y};
      },
      [](const Tensor& x, const Tensor& y, const Tensor& n, const Tensor& product,
         const Tensor& total, const Tensor& g, const Tensor& h) {
        return std::tuple{product * g + h * x, total * g * n.to(f32) + h * y};
      });
  const Tensor x = vector({2, 3}), y = vector({5, 7}), n = integers({1, 2});
  const auto both = [&](const Tensor& a, const Tensor& b) {
    const auto [product, total] = f(a, b, n);
    return sum(product) + 2 * sum(total);
  };
  CHECK(near(both(x, y), {10 + 42 + 2 * 17}));
  const auto [dx, dy] = grad(both, {0, 1})(x, y);
  CHECK(near(dx, {10 + 4, 42 + 6}));
  CHECK(near(dy, {7 + 10, 20 + 14}));
}

TEST_CASE("custom_gradient: batches have the gradients of their samples") {
  const Tensor x = tensor({1, 2, 3, 4}, {2, 2}), w = vector({3, 5});
  const auto f =
      custom_gradient([](const Tensor& a, const Tensor& b) { return sum(a * b); },
                      [](const Tensor& a, const Tensor& b, const Tensor&, const Tensor& g) {
                        return std::tuple{g * b * 2, g * a * 3};
                      });
  const auto each = vmap(grad(f, {0, 1}), {0, unbatched});
  const auto [dx, dw] = each(x, w);
  CHECK(near(dx, {6, 10, 6, 10}));
  CHECK(near(dw, {3, 6, 9, 12}));
  const auto total = [&](const Tensor& a, const Tensor& b) {
    return sum(vmap(f, {0, unbatched})(a, b));
  };
  CHECK(near(grad(total, 0)(x, w), {6, 10, 6, 10}));
  CHECK(near(grad(total, 1)(x, w), {12, 18}));
}

TEST_CASE("custom_gradient: no gradient flows to what is captured") {
  const Tensor w = vector({2, 3});
  const auto loss = [&](const Tensor& x, const Tensor& v) {
    const auto scaled =
        custom_gradient([&](const Tensor& a) { return a * v; },
                        [&](const Tensor&, const Tensor&, const Tensor& g) { return g * v; });
    return sum(scaled(x));
  };
  CHECK(near(loss(vector({1, 10}), w), {32}));
  CHECK(near(grad(loss, 0)(vector({1, 10}), w), {2, 3}));
  CHECK(near(grad(loss, 1)(vector({1, 10}), w), {0, 0}));
}

TEST_CASE("custom_gradient: gradients of other types are mistakes") {
  const Tensor x = vector({1, 2});
  expect_mistake<ShapeError>(
      [&] {
        custom_gradient(cube,
                        [](const Tensor& v, const Tensor&, const Tensor&) { return sum(v); })(x);
      },
      {"custom_gradient: shapes differ", "backward gives"}, Where::current().line() - 3, __FILE__);
  expect_mistake<DTypeError>(
      [&] {
        custom_gradient(cube,
                        [](const Tensor& v, const Tensor&, const Tensor&) { return v.to(f64); })(x);
      },
      {"custom_gradient: dtypes differ"}, Where::current().line() - 3, __FILE__);
  expect_mistake<ShapeError>(
      [&] {
        custom_gradient(cube, [](const Tensor& v, const Tensor&, const Tensor& g) {
          return std::tuple{v, g};
        })(x);
      },
      {"the number of gradients is wrong", "2 tensors"}, Where::current().line() - 4, __FILE__);
}
