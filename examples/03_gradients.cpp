// Gradients: transforms of functions, which compose with each other and with compile.
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace sinter;

struct Line {
  Tensor slope = full({1}, 2.0f), offset = zeros({1});
  SINTER_MODULE(Line, slope, offset)

  Tensor forward(const Tensor& x) const { return x * slope + offset; }
};

bool near(const Tensor& found, const std::vector<float>& expected) {
  const std::vector<float> values = found.to_vector<float>();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::fabs(values.at(i) - expected[i]) > 1e-5f * std::fabs(expected[i])) return false;
  }
  return values.size() == expected.size();
}

// Only the model is compiled: its forward and backward passes are two programs.
float train(Line& line, const Tensor& x) {
  auto model = compile(line, {.fullgraph = true});
  optim::SGD optimizer{.learning_rate = 0.05f};
  Tensor loss;
  for (int step = 0; step < 50; ++step) {
    auto [value, gradients] = value_and_grad(line, [&] { return mse_loss(model(x), x); });
    optimizer.step(line, gradients);
    loss = value;
  }
  return loss.item<float>();
}

int main() {
  auto cubes = [](const Tensor& x) { return sum(x * x * x); };
  auto slopes = [cubes](const Tensor& x) { return sum(grad(cubes)(x)); };
  const Tensor x = from_vector(std::vector<float>{1, 2, 3}, {3});

  bool right = near(grad(cubes)(x), {3, 12, 27});       // 3 x^2
  right = right && near(grad(slopes)(x), {6, 12, 18});  // 6 x
  right = right && near(compile(grad(cubes))(x), {3, 12, 27});

  const auto [value, gradient] = value_and_grad(cubes)(x);
  right = right && near(value, {36}) && near(gradient, {3, 12, 27});

  // of the parameters of a module, by name; detached values count as constants
  Line line;
  const auto [loss, gradients] = value_and_grad(line, [&] { return mean(square(line(x) - x)); });
  for (const auto& [name, parameter] : gradients) {
    std::printf("%-8s %g\n", name.c_str(), parameter.item<double>());
  }
  right = right && near(gradients["slope"], {28.0f / 3}) && near(gradients["offset"], {4});
  right = right && near(grad([](const Tensor& v) { return sum(v * detach(v)); })(x), {1, 2, 3});
  right = right && train(line, x) < 0.01f;
  return right ? 0 : 1;
}
