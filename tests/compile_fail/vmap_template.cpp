// expect: sinter::grad\(f\), vmap\(f\) and their like require the arguments that f takes: no
// overload, or template
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/vmap.hpp>

sinter::Tensor rows(const sinter::Tensor& x) {
  return sinter::vmap([](const auto& a, const auto& b) { return a * b; })(x);
}
