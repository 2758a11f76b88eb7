// expect: sinter::grad\(f\), vmap\(f\) and their like: the call has more arguments than f takes
#include <sinter/jit/compile.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

sinter::Tensor slope(const sinter::Tensor& x) {
  return sinter::compile(sinter::grad([](const sinter::Tensor& a) { return sum(a); }))(x, x);
}
