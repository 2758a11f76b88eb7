// Batching functions of one sample: per-sample gradients, ensembles, Jacobians.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <vector>

using namespace sinter;

bool near(const Tensor& found, const Tensor& expected) {
  return static_cast<bool>(all(abs(found - expected) < 1e-4f));
}

struct Network {
  nn::Linear hidden{4, 16}, output{16, 3};
  SINTER_MODULE(Network, hidden, output)
  Tensor forward(const Tensor& x) const { return output(tanh(hidden(x))); }
};

// Of one sample: x is f32[4], y is f32[3].
Tensor loss(const Network& model, const Tensor& x, const Tensor& y) {
  return mse_loss(model(x), y);
}

// The norm of each sample's gradient, as in differential privacy or outlier detection.
Tensor gradient_lengths(const Network& model, const Tensor& xs, const Tensor& ys) {
  const auto length = [](const Network& m, const Tensor& x, const Tensor& y) {
    const Network gradient = grad(loss)(m, x, y);
    return sqrt(sum(square(gradient.hidden.weight)) + sum(square(gradient.output.weight)));
  };
  return vmap(length, {unbatched, 0, 0})(model, xs, ys);
}

// The outputs of all members of an ensemble, f32[members, samples, 3], by batched products.
Tensor ensemble(const Network& members, const Tensor& xs) {
  const auto answer = [](const Network& model, const Tensor& batch) { return model(batch); };
  return vmap(answer, {0, unbatched})(members, xs);
}

// Rounding with a straight-through gradient.
Tensor rounded(const Tensor& x) {
  const auto forward = [](const Tensor& v) { return floor(v + 0.5f); };
  const auto backward = [](const Tensor&, const Tensor&, const Tensor& g) { return g; };
  return custom_gradient(forward, backward)(x);
}

int main() {
  bool right = true;
  const Tensor rows = from_vector<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  print(vmap(sum)(rows));
  right = right && near(vmap(sum)(rows), sum(rows, 1));

  const Network model;
  const Tensor xs = randn({8, 4}), ys = randn({8, 3});
  const auto lengths = compile(gradient_lengths, {.fullgraph = true});
  right = right && near(lengths(model, xs, ys), gradient_lengths(model, xs, ys));
  std::printf("gradients of 8 samples: %lld recording\n",
              static_cast<long long>(lengths.stats().recordings));

  std::vector<Network> members(5);
  const Network stacked = nn::stack_modules(members);
  const Tensor answers = compile(ensemble)(stacked, xs);
  for (int i = 0; i < 5; ++i) {
    right = right && near(answers[i], members[static_cast<std::size_t>(i)](xs));
  }

  const auto cubes = [](const Tensor& x) { return x * x * x; };
  const Tensor x = from_vector<float>({1, 2}, {2});
  print(jacrev(cubes)(x));
  print(hessian([](const Tensor& v) { return sum(v * v * v); })(x));
  const auto [value, pullback] = vjp(cubes, x);
  right = right && near(pullback(ones({2})), 3 * x * x);
  right = right && near(jvp(cubes, x, ones({2})).tangent, 3 * x * x);
  right = right && near(grad([](const Tensor& v) { return sum(rounded(v) * v); })(x), 2 * x);

  return right ? 0 : 1;
}
