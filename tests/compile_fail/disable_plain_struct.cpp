// expect: sinter::grad\(f\), vmap\(f\) and their like require f to be a function.*a struct with
#include <sinter/trace/interop/host.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

struct Scale {
  sinter::Tensor factor;
  sinter::Tensor forward(const sinter::Tensor& x) const { return x * factor; }
};

sinter::Tensor outside(const Scale& scale, const sinter::Tensor& x) {
  return sinter::disable(scale)(x);
}
