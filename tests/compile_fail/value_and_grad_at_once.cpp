// expect: sinter::value_and_grad\(f\) gives a function, which takes the arguments of f
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

sinter::Tensor loss_of(const sinter::Tensor& x) {
  return sinter::value_and_grad([](const sinter::Tensor& a) { return sum(a); }, x).value;
}
