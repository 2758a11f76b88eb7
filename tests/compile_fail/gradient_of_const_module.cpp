// expect: sinter::value_and_grad\(module, closure\) requires a module that is not const
#include <sinter/nn/linear.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

sinter::Tensor loss_of(const sinter::nn::Linear& model, const sinter::Tensor& x) {
  return sinter::value_and_grad(model, [&] { return sum(model(x)); }).value;
}
