// State and numbers: what a compiled function changes, its inputs, and its constants.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <vector>

using namespace sinter;

struct Scaled {
  float factor = 2.0f;  // a constant of the recording; an input once it has changed
  Scalar shift = 0.0f;  // an input: one recording for all values
  SINTER_MODULE(Scaled, factor, shift)

  Tensor forward(const Tensor& x) const { return x * factor + shift; }
};

// Changes only `mean` and `decay`; `decay` is halved in each call.
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
  const Tensor snapshot = mean;  // a value: later changes of `mean` do not affect it
  step(mean, decay, x);
  right = right && is(snapshot, 0.5f) && is(mean, 0.875f) && decay.item<float>() == 0.125f;

  const float* const before = mean.data<float>();  // no other handle of `mean` exists:
  step(mean, decay, x);                            // it is updated in place
  right = right && mean.data<float>() == before && step.stats().recordings == 1;
  std::printf("mean %g, decay %g\n", mean[0].item<double>(), decay.item<double>());
  return right ? 0 : 1;
}
