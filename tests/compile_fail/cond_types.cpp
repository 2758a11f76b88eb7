// expect: sinter::cond\(.*\) requires f and g to give the same type
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

auto choose(const sinter::Tensor& x) {
  return sinter::cond(
      sum(x) > 0, [&] { return x; },
      [&] {
        return std::pair{x, x};
      });
}
