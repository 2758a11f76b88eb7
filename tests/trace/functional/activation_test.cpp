// test: moved
#include "testing.hpp"

#include <sinter/trace/functional/activation.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

using namespace testing;

namespace {

const std::vector<float> points{-100, -5, -1, -0.25f, 0, 0.25f, 1, 5, 100};

// `function` at the points is the loop over `expected`.
template <class Function, class Expected>
bool agrees(Function function, Expected expected) {
  Numbers results;
  for (const float x : points) results.push_back(expected(static_cast<double>(x)));
  return near(function(vector(points)), results, 1e-6);
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

TEST_CASE("relu, leaky_relu: NaN stays, the gradient at 0 is 0 as in torch") {
  CHECK(agrees([](Tensor x) { return relu(x); }, [](double x) { return std::fmax(x, 0); }));
  CHECK(agrees([](Tensor x) { return leaky_relu(x, 0.1); },
               [](double x) { return x > 0 ? x : 0.1 * x; }));
  CHECK(near(relu(vector({not_a_number})), {not_a_number}));
  CHECK(relu(integers({-1, 1})).dtype() == i64);
  const auto total = [](const Tensor& x) { return sum(relu(x)); };
  CHECK(near(grad(total)(vector({-1, 0, 2})), {0, 0, 1}));
}

TEST_CASE("sigmoid, silu, softplus: do not overflow") {
  CHECK(agrees([](Tensor x) { return sigmoid(x); }, logistic));
  CHECK(agrees([](Tensor x) { return silu(x); }, [](double x) { return x * logistic(x); }));
  CHECK(agrees([](Tensor x) { return softplus(x); },
               [](double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::fabs(x))); }));
  CHECK(near(sigmoid(vector({-infinity, infinity})), {0, 1}));
  const auto total = [](const Tensor& x) { return sum(sigmoid(x)); };
  CHECK(near(grad(total)(vector({-200, 0, 200})), {0, 0.25, 0}));
  const auto gated = [](const Tensor& x) { return sum(silu(x)); };
  CHECK(near(grad(gated)(vector({-200, 0, 200})), {0, 0.5, 1}));
  CHECK(near(silu(vector({-1e38f})), {0}));
  CHECK(near(sigmoid(vector({-80})), {logistic(-80)}, 1e-37));
  CHECK(near(sigmoid(ones({1}, f16)), {0.731}, 1e-3));
  CHECK(sigmoid(ones({1}, f64)).dtype() == f64);
}

TEST_CASE("gelu: is x times the normal distribution, or the usual approximation of it") {
  CHECK(agrees([](Tensor x) { return gelu(x); },
               [](double x) { return x * 0.5 * std::erfc(-x / std::sqrt(2.0)); }));
  CHECK(agrees([](Tensor x) { return gelu(x, Gelu::tanh); },
               [](double x) {
                 const double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
                 return 0.5 * x * (1 + std::tanh(inner));
               }));
  CHECK(gelu(ones({2}, f16)).dtype() == f16);
}

TEST_CASE("elu, celu, selu: an exponential below 0, whose gradient keeps its digits") {
  CHECK(agrees([](Tensor x) { return elu(x, 0.5); },
               [](double x) { return x > 0 ? x : 0.5 * std::expm1(x); }));
  CHECK(agrees([](Tensor x) { return celu(x, 0.5); },
               [](double x) { return x > 0 ? x : 0.5 * std::expm1(x / 0.5); }));
  CHECK(agrees([](Tensor x) { return selu(x); },
               [](double x) {
                 return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x));
               }));
  const auto total = [](const Tensor& x) { return sum(elu(x)); };
  CHECK(near(grad(total)(vector({-20, 0, 3})), {std::exp(-20), 1, 1}, 1e-13));
}

TEST_CASE("relu6, hardtanh, hardsigmoid, hardswish: bounded, flat from the bounds on") {
  CHECK(agrees([](Tensor x) { return relu6(x); },
               [](double x) { return std::fmin(std::fmax(x, 0), 6); }));
  CHECK(agrees([](Tensor x) { return hardtanh(x); },
               [](double x) { return std::fmin(std::fmax(x, -1), 1); }));
  const auto hard = [](double x) { return std::fmin(std::fmax(x + 3, 0), 6) / 6; };
  CHECK(agrees([](Tensor x) { return hardsigmoid(x); }, hard));
  CHECK(agrees([](Tensor x) { return hardswish(x); }, [&](double x) { return x * hard(x); }));
  CHECK(hardtanh(integers({-5, 0})).dtype() == i64);
  const auto total = [](const Tensor& x) { return sum(hardtanh(x) + relu6(x)); };
  CHECK(near(grad(total)(vector({-1, 0, 1, 6})), {0, 1, 1, 0}));
}

TEST_CASE("logsigmoid, softplus, mish, logit: written so that nothing overflows") {
  CHECK(agrees([](Tensor x) { return logsigmoid(x); },
               [](double x) { return std::fmin(x, 0) - std::log1p(std::exp(-std::fabs(x))); }));
  CHECK(agrees([](Tensor x) { return softplus(x, 2, 5); },
               [](double x) { return 2 * x > 5 ? x : std::log1p(std::exp(2 * x)) / 2; }));
  CHECK(agrees([](Tensor x) { return mish(x); },
               [](double x) { return x * std::tanh(x > 20 ? x : std::log1p(std::exp(x))); }));
  CHECK(near(logit(vector({0.25f, 0.5f, 0, 1})), {-std::log(3), 0, -infinity, infinity}));
  CHECK(near(logit(vector({0, 1}), 0.25), {-std::log(3), std::log(3)}));
  const auto total = [](const Tensor& x) { return sum(softplus(x) + logsigmoid(x)); };
  CHECK(near(grad(total)(vector({-200, 0, 200})), {1, 1, 1}));
}

TEST_CASE("softsign, tanhshrink, softshrink, hardshrink, threshold: are what torch says") {
  CHECK(agrees([](Tensor x) { return softsign(x); },
               [](double x) { return x / (1 + std::fabs(x)); }));
  CHECK(agrees([](Tensor x) { return tanhshrink(x); }, [](double x) { return x - std::tanh(x); }));
  CHECK(near(softshrink(vector({-2, -0.5, 0.25, 2})), {-1.5, 0, 0, 1.5}));
  CHECK(near(hardshrink(vector({-2, -0.5, 0.25, 2})), {-2, 0, 0, 2}));
  CHECK(near(threshold(vector({1, 2, 3}), 2, -7), {-7, -7, 3}));
}

TEST_CASE("prelu, glu: have a weight, or a gate in the tensor itself") {
  const Tensor x = tensor({-1, -2, 3, -4}, {2, 2});
  CHECK(near(prelu(x, full({1}, 0.5)), {-0.5, -1, 3, -2}));
  CHECK(near(prelu(x, vector({0.5f, 0.25f})), {-0.5, -0.5, 3, -1}));
  CHECK(near(glu(x), {-logistic(-2), 3 * logistic(-4)}));
  CHECK(near(glu(x, 0), {-logistic(3), -2 * logistic(-4)}));
  MISTAKE(ShapeError, glu(ones({3})), "glu: the axis cannot be split into two halves", "f32[3]");
  MISTAKE(ShapeError, prelu(x, ones({3})), "prelu: shapes do not broadcast", "f32[2, 2]");
}

TEST_CASE("activation: 16 bits are computed in f32 and rounded once") {
  const Tensor x = vector({-3.3f, -0.7f, 0.2f, 4.4f}).to(bf16);
  using Function = Tensor (*)(Operand);
  for (const Function function :
       std::initializer_list<Function>{silu, mish, selu, logsigmoid, hardswish, tanhshrink}) {
    CHECK(function(x).dtype() == bf16);
    CHECK(near(function(x), numbers(function(x.to(f32)).to(bf16)), 0));
  }
}

TEST_CASE("activation: mistakes name the line of the caller") {
  MISTAKE(ValueError, gelu(Tensor()), "the tensor is undefined");
  MISTAKE(ValueError, relu(Tensor()), "the tensor is undefined");
  MISTAKE(IndexError, glu(ones({2, 4}), 2), "glu: ", "axis  2");
}

TEST_CASE("gelu: integers are an error that says how to cast them, as in torch") {
  CHECK_THROWS_WITH_AS(gelu(ones({3}, i64)), doctest::Contains("x     i64[3]"), DTypeError);
  CHECK_THROWS_WITH_AS(gelu(ones({3}, i64)), doctest::Contains("x.to(f32)"), DTypeError);
  CHECK(gelu(1.5f).dtype() == f32);
}

TEST_CASE("logit, hardtanh: limits that are exchanged do as torch's, or are a mistake") {
  const Tensor x = vector({0.1f, 0.4f, 0.5f, 0.9f, 2, -1});
  const double far = std::log(1.5);
  CHECK(near(logit(x, 0.6), {far, far, far, -far, -far, far}));
  CHECK(near(hardtanh(vector({-2, 0, 2}), 1, 1), {1, 1, 1}));
  MISTAKE(ValueError, hardtanh(x, 1, -1), "hardtanh: min_val is above max_val", "min_val 1");
}
