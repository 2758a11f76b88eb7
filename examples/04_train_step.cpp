// A training step: forward, loss, gradient and optimizer are recorded and compiled as one graph.
#include <sinter/sinter.hpp>

#include <cstdio>

using namespace sinter;

struct Net {
  nn::Linear in{6, 24}, out{24, 3};
  SINTER_MODULE(Net, in, out)

  Tensor forward(const Tensor& x) const { return out(gelu(in(x))); }
};

Tensor train_step(Net& net, optim::AdamW& optimizer, const Tensor& x, const Tensor& target) {
  auto [loss, gradients] = value_and_grad(net, [&] { return cross_entropy(net(x), target); });
  clip_grad_norm(gradients, 1.0f);
  optimizer.step(net, gradients);
  return loss;
}

int main() {
  random::manual_seed(7);
  Net net;
  optim::AdamW optimizer{.learning_rate = 1e-2f};
  const Tensor x = randn({32, 6});
  const Tensor target = argmax(x, -1) % 3;

  auto step = compile(train_step);
  float first = 0, last = 0;
  for (int i = 0; i < 200; ++i) {
    optimizer.learning_rate = 1e-2f * (1.0f - static_cast<float>(i) / 200.0f);  // no recompile
    last = step(net, optimizer, x, target).item<float>();
    if (i == 0) first = last;
    if (i % 40 == 0) std::printf("step %3d: loss %.4f\n", i, last);
  }

  const Stats stats = step.stats();
  std::printf("%lld calls, %lld recording, %lld kernels a step\n",
              static_cast<long long>(stats.calls), static_cast<long long>(stats.recordings),
              static_cast<long long>(stats.kernels));
  return last < 0.2f * first && stats.recordings == 1 ? 0 : 1;
}
