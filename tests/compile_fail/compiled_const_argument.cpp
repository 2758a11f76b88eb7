// expect: sinter::Compiled: argument 1 is const, but the function takes it by a reference
#include <sinter/jit/compile.hpp>

sinter::Tensor use(const sinter::Tensor& x) {
  const auto f = sinter::compile([](sinter::Tensor& total) { return total += total; });
  return f(x);
}
