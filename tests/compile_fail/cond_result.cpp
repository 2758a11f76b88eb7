// expect: sinter::cond\(.*\) requires f and g to give tensors, or structs of them
#include <sinter/trace/control.hpp>
#include <sinter/trace/operators.hpp>
#include <sinter/trace/reduce.hpp>

void choose(const sinter::Tensor& x) {
  sinter::cond(
      sum(x) > 0, [&] { sum(x); }, [&] { mean(x); });
}
