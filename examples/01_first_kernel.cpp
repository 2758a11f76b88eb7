// The first kernel: two sines become one loop, whose source is readable.
#include <sinter/core.hpp>

#include <cmath>

using namespace sinter;

int main() {
  auto twice = compile([](const Tensor& x) { return sin(sin(x)); });

  const Tensor x = randn({10000});
  const Tensor first = twice(x);   // records, fuses, compiles
  const Tensor second = twice(x);  // replays
  print(twice.explain());

  const float expected = std::sin(std::sin(x[0].item<float>()));
  return std::abs(second[0].item<float>() - expected) < 1e-6f ? 0 : 1;
}
