// expect: sinter::Compiled: argument 2 is a temporary, but the function takes it by a reference
#include <sinter/jit/compile.hpp>

sinter::Tensor use(const sinter::Tensor& x) {
  const auto f = sinter::compile([](const sinter::Tensor& y, sinter::Tensor& total) {
    total += y;
    return y;
  });
  return f(x, x + x);
}
