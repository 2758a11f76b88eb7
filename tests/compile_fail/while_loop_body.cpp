// expect: sinter::while_loop\(.*\) requires body to give the next state
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

auto halve(const sinter::Tensor& x) {
  const auto is_large = [](const sinter::Tensor& a, const sinter::Tensor&) { return sum(a) > 1; };
  const auto half = [](const sinter::Tensor& a, const sinter::Tensor&) { return a / 2; };
  return sinter::while_loop(is_large, half, x, 0);
}
