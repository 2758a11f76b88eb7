// expect: sinter::value_and_grad\(module, closure\) requires a closure without parameters
#include <sinter/nn/linear.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

sinter::Tensor loss_of(sinter::nn::Linear& model) {
  return sinter::value_and_grad(model, [&](const sinter::Tensor& a) { return sum(model(a)); })
      .value;
}
