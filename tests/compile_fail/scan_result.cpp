// expect: sinter::scan\(f, carry, xs\) requires f to give a pair \{carry, y\}
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

auto totals(const sinter::Tensor& start, const sinter::Tensor& xs) {
  const auto add = [](const sinter::Tensor& a, const sinter::Tensor& b) { return a + b; };
  return sinter::scan(add, start, xs);
}
