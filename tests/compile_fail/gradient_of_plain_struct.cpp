// expect: sinter::value_and_grad\(module, closure\) requires a module that is a variable: list
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/transform/grad.hpp>

struct Scale {
  sinter::Tensor factor;
};

sinter::Tensor loss_of(Scale& scale, const sinter::Tensor& x) {
  return sinter::value_and_grad(scale, [&] { return sum(x * scale.factor); }).value;
}
