// expect: sinter::cond\(.*\) requires f and g to give tensors, or structs of them
#include <sinter/trace/transform/control.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

void choose(const sinter::Tensor& x) {
  sinter::cond(
      sum(x) > 0, [&] { sum(x); }, [&] { mean(x); });
}
