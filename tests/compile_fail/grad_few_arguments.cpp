// expect: sinter::grad\(f\), vmap\(f\) and their like: the call has fewer arguments than f takes
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

sinter::Tensor slope(const sinter::Tensor& x) {
  const auto dot = [](const sinter::Tensor& a, const sinter::Tensor& b) { return sum(a * b); };
  return sinter::grad(dot)(x);
}
