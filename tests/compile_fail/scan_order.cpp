// expect: sinter::scan\(f, carry, xs\) requires f to be a function of the carry and of one x
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

auto totals(const sinter::Tensor& start, const sinter::Tensor& xs) {
  const auto step = [](const sinter::Tensor& total, const sinter::Tensor& x) {
    return std::pair{total + x, total};
  };
  return sinter::scan(xs, step, start);
}
