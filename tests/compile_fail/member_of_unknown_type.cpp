// expect: members of modules to be tensors, numbers, strings, modules, or containers of these
#include <sinter/trace/parameter.hpp>

struct Block {
  sinter::Tensor weight;
  sinter::Tensor* shared = nullptr;
  SINTER_MODULE(Block, weight, shared)
};

void visit(Block& block) {
  sinter::nn::for_each_parameter(block, [](auto, auto&) {});
}
