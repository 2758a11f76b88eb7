// expect: sinter::grad\(f\), vmap\(f\) and their like: argument 2 does not convert to the type of
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

sinter::Tensor slope(const sinter::Tensor& x) {
  const auto f = [](const sinter::Tensor& a, const std::string&) { return sum(a); };
  return sinter::grad(f)(x, x);
}
