// expect: sinter::Compiled requires arguments to be tensors
#include <sinter/jit/compile.hpp>

struct Plain {
  sinter::Tensor weight;
  int count = 0;
};

void use(const sinter::Tensor& x) {
  const auto f =
      sinter::compile([](const Plain& plain, const sinter::Tensor& y) { return plain.weight + y; });
  f(Plain(), x);
}
