// expect: sinter::grad\(f\), vmap\(f\) and their like: the call has fewer arguments than f takes
#include <sinter/trace/transform/jacobian.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

sinter::Tensor push(const sinter::Tensor& x) {
  const auto product = [](const sinter::Tensor& a, const sinter::Tensor& b) { return a * b; };
  return sinter::jvp(product, x, x).tangent;
}
