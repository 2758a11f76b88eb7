// expect: sinter::cond\(.*\) requires g to be a function of the operands, as f is
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

sinter::Tensor choose(const sinter::Tensor& x) {
  return sinter::cond(
      sum(x) > 0, [](const sinter::Tensor& a) { return a; },
      [](const sinter::Tensor& a, const sinter::Tensor& b) { return a + b; }, x);
}
