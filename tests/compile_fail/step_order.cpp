// expect: optimizer.step\(model, gradients\) requires a module that is not const, then the
#include <sinter/nn/linear.hpp>
#include <sinter/optim/sgd.hpp>

void learn(sinter::nn::Linear& model, const sinter::Gradients& gradients) {
  sinter::optim::SGD optimizer;
  optimizer.step(gradients, model);
}
