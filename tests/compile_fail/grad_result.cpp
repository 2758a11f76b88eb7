// expect: sinter::grad\(f\), value_and_grad\(f\), .* require f, or the closure, to give one tensor
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

sinter::Tensor slope(const sinter::Tensor& x) {
  return sinter::grad([](const sinter::Tensor& a) { sum(a); })(x);
}
