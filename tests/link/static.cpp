// A program that is linked statically: its kernels still find the functions of libm.

#include <sinter/sinter.hpp>

#include <cmath>

using namespace sinter;

int main() {
  const auto compiled = compile([](const Tensor& x) { return sin(x) * 2.0f; });
  const float found = compiled(full({5}, 1e6f))[4].item<float>();
  const float expected = std::sin(1e6f) * 2.0f;
  return compiled.stats().kernels == 1 && std::abs(found - expected) < 1e-5f ? 0 : 1;
}
