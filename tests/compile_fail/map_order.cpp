// expect: sinter::map\(f, xs\) requires f to be a function of one x, and to come first
#include <sinter/trace/control.hpp>
#include <sinter/trace/operators.hpp>
#include <sinter/trace/reduce.hpp>

sinter::Tensor rows(const sinter::Tensor& x) {
  return sinter::map(x, [](const sinter::Tensor& row) { return row * 2; });
}
