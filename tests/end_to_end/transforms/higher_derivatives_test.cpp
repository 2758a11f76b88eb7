// Second and third derivatives where first derivatives have special cases: zeros in products, ties,
// corners, ends of domains. Products are compared with their definition, the others with torch in
// f64.

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

#include "jit/support.hpp"

using namespace testing;

namespace {

using Vector = std::vector<double>;

Tensor tensor(const Vector& values) {
  return from_vector(values, {static_cast<std::int64_t>(values.size())});
}

// Different weights, so that no symmetry hides a mistake.
Tensor weighted_sum(const Tensor& x) {
  const Tensor weights = arange(x.numel()).to(f64) * 0.25 + 1.0;
  return sum(reshape(x, {x.numel()}) * weights);
}

template <class F>
auto derivative(F f) {
  return
      [f](const Tensor& x) { return grad([f](const Tensor& v) { return weighted_sum(f(v)); })(x); };
}

// The weighted derivatives of order 1 to 3 of f at x.
template <class F>
std::vector<Vector> derivatives(F f, const Vector& x) {
  const auto first = derivative(f);
  const auto second = derivative(first);
  const auto third = derivative(second);
  const Tensor at = tensor(x);
  return {first(at).template to_vector<double>(), second(at).template to_vector<double>(),
          third(at).template to_vector<double>()};
}

bool near(const Vector& a, const Vector& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (a[i] == b[i]) continue;
    if (!(std::fabs(a[i] - b[i]) <= 1e-9 * std::max(1.0, std::fabs(b[i])))) return false;
  }
  return true;
}

double weight(std::size_t i) { return 1 + 0.25 * static_cast<double>(i); }

// The derivative of the product of x[0] ... x[end - 1] with respect to `with`, which are distinct.
double product_without(const Vector& x, std::size_t end, const std::vector<std::size_t>& with) {
  double result = 1;
  for (std::size_t i = 0; i < with.size(); ++i) {
    if (with[i] >= end) return 0;
    for (std::size_t k = 0; k < i; ++k) {
      if (with[i] == with[k]) return 0;
    }
  }
  for (std::size_t i = 0; i < end; ++i) {
    if (std::find(with.begin(), with.end(), i) == with.end()) result *= x[i];
  }
  return result;
}

// The weighted derivatives of order 1 to 3 of the products of the first `ends` elements.
std::vector<Vector> derivatives_of_products(const Vector& x, const std::vector<std::size_t>& ends) {
  const std::size_t n = x.size();
  std::vector<Vector> result(3, Vector(n));
  for (std::size_t out = 0; out < ends.size(); ++out) {
    const double w = weight(out);
    for (std::size_t i = 0; i < n; ++i) {
      result[0][i] += w * product_without(x, ends[out], {i});
      for (std::size_t k = 0; k < n; ++k) {
        result[1][i] += w * weight(k) * product_without(x, ends[out], {i, k});
        for (std::size_t l = 0; l < n; ++l) {
          result[2][i] += w * weight(k) * weight(l) * product_without(x, ends[out], {i, k, l});
        }
      }
    }
  }
  return result;
}

}  // namespace

TEST_CASE("higher derivatives: the hessian of a product with a zero is symmetric, as in torch") {
  const auto product = [](const Tensor& x) { return prod(x); };
  const auto rows = compile([&](const Tensor& x) {
    return vmap([&](const Tensor& v) {
      return grad([&](const Tensor& u) { return sum(grad(product)(u) * v); })(x);
    })(eye(3, f64));
  });
  for (const bool is_compiled : {false, true}) {
    const Tensor x = tensor({0, 2, 3});
    const Tensor found = is_compiled ? rows(x) : vmap([&](const Tensor& v) {
      return grad([&](const Tensor& u) { return sum(grad(product)(u) * v); })(x);
    })(eye(3, f64));
    CHECK(found.to_vector<double>() == Vector{0, 3, 2, 3, 0, 0, 2, 0, 0});
  }
}

TEST_CASE("higher derivatives: products with any number of zeros, eager and compiled") {
  std::mt19937 choose(5);
  const auto product = [](const Tensor& x) { return prod(x); };
  const auto products = [](const Tensor& x) { return cumprod(x, 0); };
  for (int round = 0; round < 30; ++round) {
    Vector x(1 + choose() % 5);
    for (double& v : x) v = choose() % 3 == 0 ? 0.0 : static_cast<double>(choose() % 9) - 4.0;
    INFO("x " << to_string(tensor(x)) << " round " << round);
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < x.size(); ++i) ends.push_back(i + 1);
    const auto of_one = derivatives_of_products(x, {x.size()});
    const auto of_all = derivatives_of_products(x, ends);
    const auto one = derivatives(product, x), all = derivatives(products, x);
    for (std::size_t order = 0; order < 3; ++order) {
      INFO("order " << order + 1);
      CHECK(near(one[order], of_one[order]));
      CHECK(near(all[order], of_all[order]));
    }
  }
  const auto third =
      compile(derivative(derivative(derivative(products))), {.dynamic = Dynamic::on});
  for (const Vector& x : {Vector{2, 0, 3, 0, 1}, Vector{0, 2, 5}, Vector{1, 2, 3, 0}}) {
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < x.size(); ++i) ends.push_back(i + 1);
    CHECK(near(third(tensor(x)).to_vector<double>(), derivatives_of_products(x, ends)[2]));
  }
}

TEST_CASE("higher derivatives: products over several axes, and along each") {
  const auto f = [](const Tensor& x) {
    const Tensor cube = reshape(x, {2, 2, 2});
    return concatenate({reshape(prod(cube, {0, 2}), {2}), reshape(cumprod(cube, 1), {8}),
                        reshape(prod(cube, 1), {4})});
  };
  const Vector x{0, 2, -1, 3, 1, 0, 0, 2};
  const auto found = derivatives(f, x);
  const double step = 0.5;  // products are linear in each element, so finite differences are exact
  const auto first = derivative(f);
  const auto second = derivative(first);
  for (std::size_t i = 0; i < x.size(); ++i) {
    Vector above = x, below = x;
    above[i] += step, below[i] -= step;
    const auto slope = [&](const auto& g) {
      const Tensor difference = weighted_sum(g(tensor(above))) - weighted_sum(g(tensor(below)));
      return difference.template item<double>() / (2 * step);
    };
    CHECK(found[0][i] == doctest::Approx(slope(f)));
    CHECK(found[1][i] == doctest::Approx(slope(first)));
    CHECK(found[2][i] == doctest::Approx(slope(second)));
  }
}

TEST_CASE("higher derivatives: the mixed derivative of a power at exponent 0 is 1 / x") {
  const auto power = [](const Tensor& x) { return pow(x[Slice{0, 2}], x[Slice{2, 4}]); };
  const auto mixed = [&](const Tensor& x) {
    return grad([&](const Tensor& v) {
      return sum(grad([&](const Tensor& u) { return sum(power(u)); })(v)[Slice{0, 2}]);
    })(x)[Slice{2, 4}];
  };
  const Vector found = mixed(tensor({2, 4, 0, 1})).to_vector<double>();
  CHECK(found[0] == doctest::Approx(0.5));
  CHECK(found[1] == doctest::Approx(1 + std::log(4)));
}

namespace {

struct Point {
  const char* name;
  Tensor (*function)(const Tensor&);
  Vector x, first, second, third;
};

const double log2 = std::log(2.0);

// With the weights of derivatives(): 1 for a single element.
const Point points[]{
    {"logsigmoid", [](const Tensor& x) { return logsigmoid(x); }, {0}, {0.5}, {-0.25}, {0}},
    {"softplus", [](const Tensor& x) { return softplus(x); }, {0}, {0.5}, {0.25}, {0}},
    {"binary_cross_entropy_with_logits",
     [](const Tensor& x) { return binary_cross_entropy_with_logits(x, full({1}, 0.5, f64)); },
     {0},
     {0},
     {0.25},
     {0}},
    {"soft_margin_loss",
     [](const Tensor& x) { return soft_margin_loss(x, ones({1}, f64)); },
     {0},
     {-0.5},
     {0.25},
     {0}},
    {"huber_loss",
     [](const Tensor& x) { return huber_loss(x, zeros({1}, f64)); },
     {0},
     {0},
     {1},
     {0}},
    {"smooth_l1_loss",
     [](const Tensor& x) { return smooth_l1_loss(x, zeros({1}, f64), Reduction::mean, 2); },
     {0},
     {0},
     {0.5},
     {0}},
    {"logaddexp",
     [](const Tensor& x) { return logaddexp(x, zeros({1}, f64)); },
     {0},
     {0.5},
     {0.25},
     {0}},
    {"silu", [](const Tensor& x) { return silu(x); }, {0}, {0.5}, {0.5}, {0}},
    {"mish far out", [](const Tensor& x) { return mish(x); }, {800}, {1}, {0}, {0}},
    {"gelu far out", [](const Tensor& x) { return gelu(x, Gelu::tanh); }, {50}, {1}, {0}, {0}},
    {"tanh", [](const Tensor& x) { return tanh(x); }, {0}, {1}, {0}, {-2}},
    {"abs", [](const Tensor& x) { return abs(x); }, {0}, {0}, {0}, {0}},
    {"relu", [](const Tensor& x) { return relu(x); }, {0}, {0}, {0}, {0}},
    {"clamp at its bound", [](const Tensor& x) { return clamp(x, -1, 1) * x; }, {1}, {1}, {0}, {0}},
    {"sqrt", [](const Tensor& x) { return sqrt(x); }, {0}, {infinity}, {-infinity}, {infinity}},
    {"norm", [](const Tensor& x) { return norm(x); }, {0, 0}, {0, 0}, {0, 0}, {0, 0}},
    {"std", [](const Tensor& x) { return sinter::std(x); }, {2, 2}, {0, 0}, {0, 0}, {0, 0}},
    {"var of one element",
     [](const Tensor& x) { return var(x, all_axes, false, 0); },
     {5},
     {0},
     {0},
     {0}},
    {"pow 0", [](const Tensor& x) { return pow(x, 0); }, {0}, {0}, {0}, {0}},
    {"pow 1", [](const Tensor& x) { return pow(x, 1); }, {0}, {1}, {0}, {0}},
    {"pow 2", [](const Tensor& x) { return pow(x, full({1}, 2.0, f64)); }, {0}, {0}, {2}, {0}},
    {"pow 3", [](const Tensor& x) { return pow(x, full({1}, 3.0, f64)); }, {0}, {0}, {0}, {6}},
    {"power of 2",
     [](const Tensor& x) { return pow(full({1}, 2.0, f64), x); },
     {0},
     {log2},
     {log2 * log2},
     {log2 * log2 * log2}},
    {"max of equals", [](const Tensor& x) { return max(x); }, {3, 3}, {0.5, 0.5}, {0, 0}, {0, 0}},
    {"maximum of equals", [](const Tensor& x) { return maximum(x, x * x); }, {1}, {1.5}, {1}, {0}},
    {"logsumexp",
     [](const Tensor& x) { return logsumexp(x); },
     {-infinity, 0},
     {0, 1},
     {0, 0},
     {0, 0}},
    {"atan2", [](const Tensor& x) { return atan2(x, zeros({1}, f64)); }, {1}, {0}, {0}, {0}},
    {"sort of equals",
     [](const Tensor& x) { return square(sort(x).values); },
     {3, 3},
     {6, 7.5},
     {2, 3.125},
     {0, 0}},
    {"where", [](const Tensor& x) { return where(x > 0.0, log(x), x * x); }, {-1}, {-2}, {2}, {0}},
};

std::vector<Tensor> all_derivatives(const std::vector<Tensor>& at) {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto first = derivative(points[i].function);
    const auto second = derivative(first);
    for (const Tensor& found : {first(at[i]), second(at[i]), derivative(second)(at[i])}) {
      result.push_back(found);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("higher derivatives: at corners and ends of domains, eager and compiled") {
  std::vector<Tensor> at;
  for (const Point& point : points) at.push_back(tensor(point.x));
  const auto compiled = compile(all_derivatives);
  for (const bool is_compiled : {false, true}) {
    const std::vector<Tensor> found = is_compiled ? compiled(at) : all_derivatives(at);
    for (std::size_t i = 0; i < at.size(); ++i) {
      INFO(std::string(points[i].name) << std::string(is_compiled ? ", compiled" : ", plain"));
      CHECK(near(found[3 * i].to_vector<double>(), points[i].first));
      CHECK(near(found[3 * i + 1].to_vector<double>(), points[i].second));
      CHECK(near(found[3 * i + 2].to_vector<double>(), points[i].third));
    }
  }
}
