// expect: optimizer.step\(model, gradients\) requires a module that is not const, then the
#include <sinter/nn/linear.hpp>
#include <sinter/optim/adam.hpp>

void learn(sinter::nn::Linear& model) {
  sinter::optim::AdamW optimizer;
  optimizer.step(model);
}
