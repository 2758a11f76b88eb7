// expect: sinter::grad\(f\), vmap\(f\) and their like: the call has fewer arguments than f takes
#include <sinter/trace/operators.hpp>
#include <sinter/trace/reduce.hpp>
#include <sinter/trace/transform.hpp>

sinter::Tensor slope(const sinter::Tensor& x) {
  const auto dot = [](const sinter::Tensor& a, const sinter::Tensor& b) { return sum(a * b); };
  return sinter::grad(dot)(x);
}
