// expect: sinter::grad\(f\), vmap\(f\) and their like: the call has more arguments than f takes
#include <sinter/trace/transform/jacobian.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

sinter::Tensor curvature(const sinter::Tensor& x) {
  return sinter::hessian([](const sinter::Tensor& a) { return sum(a * a); })(x, x);
}
