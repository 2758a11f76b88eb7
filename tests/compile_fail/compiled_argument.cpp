// expect: sinter::Compiled: argument 1 is no tensor, number, string, module, or container of these
#include <sinter/jit/compile.hpp>

struct Plain {
  sinter::Tensor weight;
  int count = 0;
};

sinter::Tensor use(const sinter::Tensor& x) {
  const auto f =
      sinter::compile([](const Plain& plain, const sinter::Tensor& y) { return plain.weight + y; });
  return f(Plain(), x);
}
