// expect: sinter::vmap\(f\), vjp\(f, x\), .* require f to give
#include <sinter/trace/jacobian.hpp>
#include <sinter/trace/operators.hpp>
#include <sinter/trace/reduce.hpp>

void pull(const sinter::Tensor& x) {
  sinter::vjp([](const sinter::Tensor& a) { sum(a); }, x);
}
