// expect: argument 2 is a tensor, which numbers become as well, but the function takes a number
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

sinter::Tensor slope(const sinter::Tensor& x) {
  return sinter::grad([](const sinter::Tensor& a, double b) { return sum(a) * b; })(x, 2);
}
