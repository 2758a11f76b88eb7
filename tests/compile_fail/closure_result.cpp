// expect: require f, or the closure, to give one tensor
#include <sinter/nn/linear.hpp>
#include <sinter/trace/ops/elementwise/operators.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>

sinter::Tensor loss_of(sinter::nn::Linear& model, const sinter::Tensor& x) {
  return sinter::value_and_grad(model, [&] { sum(model(x)); }).value;
}
