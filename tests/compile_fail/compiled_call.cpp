// expect: sinter::Compiled: the call has more arguments than its function takes
#include <sinter/jit/compile.hpp>

sinter::Tensor use(const sinter::Tensor& x) {
  const auto f = sinter::compile([](const sinter::Tensor& y) { return y + y; });
  return f(x, x);
}
