// expect: sinter::Compiled requires the arguments that its function takes
#include <sinter/jit/compile.hpp>

void use(const sinter::Tensor& x) {
  const auto f = sinter::compile([](const sinter::Tensor& y) { return y + y; });
  f(x, x);
}
