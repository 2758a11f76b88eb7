// expect: sinter::vmap\(f\), vjp\(f, x\), .* require f to give
#include <sinter/trace/transform/jacobian.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

void pull(const sinter::Tensor& x) {
  sinter::vjp([](const sinter::Tensor& a) { sum(a); }, x);
}
