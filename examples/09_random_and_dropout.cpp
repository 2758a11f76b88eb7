// Random numbers: each call of a compiled function makes new draws; a seed reproduces them.
#include <sinter/sinter.hpp>

#include <cmath>
#include <cstdio>

using namespace sinter;

struct Net {
  nn::Linear in{16, 256}, out{256, 1};
  nn::Dropout dropout{0.25};
  SINTER_MODULE(Net, in, out, dropout)

  Tensor forward(const Tensor& x) const { return out(dropout(relu(in(x)))); }
};

bool equal(const Tensor& a, const Tensor& b) { return static_cast<bool>(all(a == b)); }

int main() {
  auto noise = compile([](const Tensor& x) { return x + rand({1000}); });
  const Tensor x = zeros({1000});
  random::manual_seed(1);
  const Tensor first = noise(x), second = noise(x);
  random::manual_seed(1);
  const Tensor again = noise(x);
  bool right = !equal(first, second) && equal(first, again);

  random::manual_seed(1);
  right = right && equal(first, rand({1000}));  // the same bits in plain code
  std::printf("mean %.3f, from 0 to 1\n", mean(first).item<double>());

  auto half = compile([](const Tensor& v) { return dropout(v, 0.5); });
  const Tensor kept = half(ones({10000}));
  const double share = mean(kept != 0).item<double>();
  std::printf("kept %.2f of the elements, each worth %g\n", share, max(kept).item<double>());
  right = right && std::fabs(share - 0.5) < 0.05 && max(kept).item<float>() == 2.0f;

  Net net;
  auto model = compile(net);
  const Tensor image = randn({1, 16});
  right = right && !equal(model(image), model(image));
  nn::eval(net);  // a guarded flag of the module: one more recording
  right = right && equal(model(image), model(image));
  return right && model.stats().recordings == 2 ? 0 : 1;
}
