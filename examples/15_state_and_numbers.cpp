// State and numbers: what a compiled function changes, what it takes as an input, what it bakes in.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <vector>

using namespace sinter;

struct Scaled {
  float factor = 2.0f;  // part of the recording, until it changes: then an input
  Scalar shift = 0.0f;  // an input: any value, one recording
  SINTER_MODULE(Scaled, factor, shift)

  Tensor forward(const Tensor& x) const { return x * factor + shift; }
};

// Changes its first argument, and nothing else; `decay` changes from call to call by itself.
void average(Tensor& mean, Scalar& decay, const Tensor& x) {
  mean = mean * decay + x * (1.0f - decay);
  decay *= 0.5f;
}

bool is(const Tensor& x, float value) { return static_cast<bool>(all(x == value)); }

int main() {
  const Tensor x = ones({4});
  bool right = true;

  Scaled module;
  auto scaled = compile(module);
  for (int i = 0; i < 5; ++i) {
    module.shift = static_cast<float>(i);
    right = right && is(scaled(x), 2.0f + static_cast<float>(i));
  }
  right = right && scaled.stats().recordings == 1;
  module.factor = 3.0f;
  right = right && is(scaled(x), 7.0f) && scaled.stats().recordings == 2;

  auto step = compile(average);
  Tensor mean = zeros({4});
  Scalar decay = 0.5f;
  step(mean, decay, x);
  const Tensor snapshot = mean;  // a value: what happens to `mean` later does not change it
  step(mean, decay, x);
  right = right && is(snapshot, 0.5f) && is(mean, 0.875f) && decay.item<float>() == 0.125f;

  const float* const before = mean.data<float>();  // nobody else holds `mean` now:
  step(mean, decay, x);                            // it is updated where it is
  right = right && mean.data<float>() == before && step.stats().recordings == 1;
  std::printf("mean %g, decay %g\n", mean[0].item<double>(), decay.item<double>());
  return right ? 0 : 1;
}
