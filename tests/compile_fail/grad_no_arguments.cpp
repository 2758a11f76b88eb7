// expect: sinter::grad\(f\), vmap\(f\) and their like: the call has fewer arguments than f takes
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

sinter::Tensor slope() {
  return sinter::grad([](const sinter::Tensor& x) { return sum(x); })();
}
