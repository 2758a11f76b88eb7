// expect: sinter::Compiled: argument 2 is no tensor, number, string, module, or container of these
#include <sinter/jit/compile.hpp>

#include <vector>

struct Plain {
  int count = 0;
};

sinter::Tensor use(const sinter::Tensor& x) {
  const auto f =
      sinter::compile([](const sinter::Tensor& y, const std::vector<Plain>&) { return y; });
  return f(x, std::vector<Plain>(3));
}
