// expect: members are listed with SINTER_MODULE
#include <sinter/jit/compile.hpp>

struct Scale {
  sinter::Tensor factor;
  sinter::Tensor forward(const sinter::Tensor& x) const { return x * factor; }
};

sinter::Tensor use(Scale& scale, const sinter::Tensor& x) {
  const auto f = sinter::compile(scale);
  return f(x);
}
