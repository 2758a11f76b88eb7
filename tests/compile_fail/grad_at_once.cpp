// expect: sinter::grad\(f\), vmap\(f\) and their like give a function, which takes the arguments of
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

sinter::Tensor slope(const sinter::Tensor& x) {
  return sinter::grad([](const sinter::Tensor& a) { return sum(a); }, x);
}
