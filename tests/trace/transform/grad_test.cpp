// test: moved
#include "testing.hpp"

#include <sinter/trace/functional/loss/loss.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/product/product.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

using namespace testing;

namespace {

Tensor cube(const Tensor& x) { return sum(x * x * x); }

struct Affine {
  Tensor weight = vector({2, 3});
  Tensor bias = vector({1, 1});
  Tensor labels = integers({0, 1});
  SINTER_MODULE(Affine, weight, bias, labels)
  Tensor forward(Operand x) const { return x.tensor() * weight + bias; }
};

struct Pair {
  Affine first, second;
  SINTER_MODULE(Pair, first, second)
  Tensor forward(Operand x) const { return second(first(x)); }
};

}  // namespace

TEST_CASE("grad: is the gradient of a function") {
  const Tensor x = vector({1, 2, 3});
  CHECK(near(grad(cube)(x), {3, 12, 27}));
  CHECK(near(grad([](const Tensor& v) { return sum(exp(v)); })(x),
             {std::exp(1.0), std::exp(2.0), std::exp(3.0)}));
}

TEST_CASE("grad: of gradients, as often as one likes") {
  const Tensor x = vector({1, 2, 3});
  const auto second = grad([](const Tensor& v) { return sum(grad(cube)(v)); });
  const auto third = grad([&](const Tensor& v) { return sum(second(v)); });
  CHECK(near(second(x), {6, 12, 18}));
  CHECK(near(third(x), {6, 6, 6}));
  CHECK(near(grad([&](const Tensor& v) { return sum(third(v)); })(x), {0, 0, 0}));
}

TEST_CASE("grad: with respect to the argument that is named") {
  const auto f = [](const Tensor& x, const Tensor& y) { return sum(x * y * y); };
  const Tensor x = vector({1, 2}), y = vector({3, 4});
  CHECK(near(grad(f, 0)(x, y), {9, 16}));
  CHECK(near(grad(f, 1)(x, y), {6, 16}));
  const auto both = value_and_grad(f, 1)(x, y);
  CHECK(near(both.value, {41}));
  CHECK(near(both.gradient, {6, 16}));
}

TEST_CASE("grad: the same tensor as two arguments is two variables") {
  const auto f = [](const Tensor& x, const Tensor& y) { return sum(x * y * y); };
  const Tensor x = vector({3});
  CHECK(near(grad(f, 0)(x, x), {9}));
  CHECK(near(grad(f, 1)(x, x), {18}));
}

TEST_CASE("grad: captured values are constants, even if they are the argument itself") {
  const Tensor x = vector({2});
  const auto f = [&](const Tensor& v) { return sum(v * x); };
  CHECK(near(grad(f)(x), {2}));
}

TEST_CASE("grad: of a variable that is not used is 0") {
  CHECK(near(grad([](const Tensor&) { return sum(ones({2})); })(vector({1, 2})), {0, 0}));
}

TEST_CASE("grad: inner variables do not mix with outer ones") {
  // d/dx (x * d/dy (x + y)) = 1 at x = 1, not 2
  const auto f = [](const Tensor& x) {
    return x * grad([&](const Tensor& y) { return x + y; })(ones({}));
  };
  CHECK(near(grad(f)(ones({})), {1}));
}

TEST_CASE("grad: elements may be read inside, and what was read is still differentiated") {
  const auto f = [](const Tensor& x) {
    const Tensor y = x * x;
    if (sum(y) > 1) return sum(y * y);
    return sum(y);
  };
  CHECK(near(grad(f)(vector({2, 1})), {32, 4}));
  CHECK(near(grad(f)(vector({0.5, 0.5})), {1, 1}));
  const auto reads = [](const Tensor& x) {
    const Tensor y = exp(x);
    y.to_vector<float>();
    return sum(y * y);
  };
  CHECK(near(grad(reads)(vector({0, 1})), {2, 2 * std::exp(2.0)}));
  const auto twice = grad([&](const Tensor& x) { return sum(grad(reads)(x)); });
  CHECK(near(twice(vector({0})), {4}));
}

TEST_CASE("detach: stops the gradient, and only that of the innermost function that sees it") {
  const auto f = [](const Tensor& x) { return sum(x * detach(x * x)); };
  CHECK(near(grad(f)(vector({3})), {9}));
  CHECK(near(detach(vector({1, 2})), {1, 2}));
  CHECK(near(detach(integers({1})), {1}));
}

TEST_CASE("value_and_grad: of a module gives gradients by name, in its order") {
  Pair pair;
  const Tensor x = vector({1, 2});

  const auto [value, gradients] = value_and_grad(pair, [&] { return sum(pair(x)); });

  CHECK(near(value, {(1 * 2 + 1) * 2 + 1 + (2 * 3 + 1) * 3 + 1}));
  std::vector<std::string> names;
  for (const auto& [name, gradient] : gradients) names.push_back(name);
  CHECK(text(names) == "[first.weight, first.bias, second.weight, second.bias]");
  CHECK(near(gradients["first.weight"], {2, 6}));
  CHECK(near(gradients["first.bias"], {2, 3}));
  CHECK(near(gradients["second.weight"], {3, 7}));
  CHECK(near(gradients["second.bias"], {1, 1}));
}

TEST_CASE("value_and_grad: leaves the module as it was, whatever happens") {
  Affine affine;
  const LazyRef weight = affine.weight.lazy();
  value_and_grad(affine, [&] { return sum(affine(vector({1, 2}))); });
  CHECK(affine.weight.lazy() == weight);

  CHECK_THROWS_AS(value_and_grad(affine, [&] { return sum(affine(ones({3}))); }), ShapeError);
  CHECK(affine.weight.lazy() == weight);
}

TEST_CASE("value_and_grad: of the parameters that are selected") {
  Pair pair;
  const auto is_bias = [](const std::string& name) { return name.ends_with("bias"); };
  const auto gradients = value_and_grad(
                             pair, [&] { return sum(pair(ones({2}))); }, is_bias)
                             .gradients;
  CHECK(gradients.size() == 2);
  CHECK(gradients.contains("first.bias"));
  CHECK_FALSE(gradients.contains("first.weight"));
}

TEST_CASE("value_and_grad: a parameter that the closure changes stays changed") {
  Affine affine;
  value_and_grad(affine, [&] {
    const Tensor loss = sum(affine(ones({2})));
    affine.bias = zeros({2});
    return loss;
  });
  CHECK(near(affine.bias, {0, 0}));
  CHECK(near(affine.weight, {2, 3}));
}

TEST_CASE("transform: mistakes name the line, the values, the rule and the way out") {
  const Tensor x = ones({2}), indices = integers({0});
  const auto identity = [](const Tensor& v) { return v; };
  const auto count = [](const Tensor& v) { return sum(gt(v, 0)); };
  Affine affine;

  MISTAKE(GradientError, grad(identity)(x), "does not give one floating element", "f32[2]", "sum");
  MISTAKE(GradientError, grad(count)(x), "the function gives i64", "i64[]", "floating loss");
  MISTAKE(GradientError, grad(identity)(indices), "the argument is not floating", "i64[1]", "f32");
  MISTAKE(GradientError, value_and_grad(affine, [&] { return affine(x); }), "f32[2]", "mean");
}

TEST_CASE("grad: an argument that is not there is named") {
  const auto square_of = [](const Tensor& x) { return sum(square(x)); };
  MISTAKE(GradientError, grad(square_of, 3)(ones({2})), "argument 3 is no tensor of the call");
}
