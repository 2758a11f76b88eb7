// expect: sinter::while_loop\(.*\) requires predicate to give one element
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

auto halve(const sinter::Tensor& x) {
  return sinter::while_loop([](const sinter::Tensor& a) { sum(a); },
                            [](const sinter::Tensor& a) { return a / 2; }, x);
}
