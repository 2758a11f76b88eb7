// expect: sinter::grad\(f\), vmap\(f\) and their like: the call has fewer arguments than f takes
#include <sinter/trace/operators.hpp>
#include <sinter/trace/reduce.hpp>
#include <sinter/trace/transform.hpp>

sinter::Tensor slope() {
  return sinter::grad([](const sinter::Tensor& x) { return sum(x); })();
}
