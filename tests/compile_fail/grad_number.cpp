// expect: argument 2 is a tensor, which numbers become as well, but the function takes a number
#include <sinter/trace/operators.hpp>
#include <sinter/trace/reduce.hpp>
#include <sinter/trace/transform.hpp>

sinter::Tensor slope(const sinter::Tensor& x) {
  return sinter::grad([](const sinter::Tensor& a, double b) { return sum(a) * b; })(x, 2);
}
