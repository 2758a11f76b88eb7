// expect: sinter::scan\(f, carry, xs\) requires f to give a pair \{carry, y\}
#include <sinter/trace/control.hpp>
#include <sinter/trace/operators.hpp>
#include <sinter/trace/reduce.hpp>

auto totals(const sinter::Tensor& start, const sinter::Tensor& xs) {
  const auto add = [](const sinter::Tensor& a, const sinter::Tensor& b) { return a + b; };
  return sinter::scan(add, start, xs);
}
