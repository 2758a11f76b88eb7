// expect: sinter::grad\(f\), vmap\(f\) and their like: the call has more arguments than f takes
#include <sinter/jit/compile.hpp>
#include <sinter/trace/operators.hpp>
#include <sinter/trace/reduce.hpp>

sinter::Tensor slope(const sinter::Tensor& x) {
  return sinter::compile(sinter::grad([](const sinter::Tensor& a) { return sum(a); }))(x, x);
}
