// expect: sinter::grad\(f\), vmap\(f\) and their like give a function, which takes the arguments of
#include <sinter/trace/operators.hpp>
#include <sinter/trace/reduce.hpp>
#include <sinter/trace/transform.hpp>

sinter::Tensor slope(const sinter::Tensor& x) {
  return sinter::grad([](const sinter::Tensor& a) { return sum(a); }, x);
}
