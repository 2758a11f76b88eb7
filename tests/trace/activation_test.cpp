#include "testing.hpp"

#include <sinter/trace/activation.hpp>
#include <sinter/trace/reduce.hpp>
#include <sinter/trace/transform.hpp>

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

TEST_CASE("activation: mistakes name the line of the caller") {
  MISTAKE(ValueError, gelu(Tensor()), "the tensor is undefined");
  MISTAKE(ValueError, relu(Tensor()), "the tensor is undefined");
}
