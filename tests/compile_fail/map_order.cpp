// expect: sinter::map\(f, xs\) requires f to be a function of one x, and to come first
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

sinter::Tensor rows(const sinter::Tensor& x) {
  return sinter::map(x, [](const sinter::Tensor& row) { return row * 2; });
}
