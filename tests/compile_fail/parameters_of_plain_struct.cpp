// expect: list the members of the struct with SINTER_MODULE
#include <sinter/trace/module/parameter.hpp>

struct Plain {
  sinter::Tensor weight;
};

void visit(Plain& plain) {
  sinter::nn::for_each_parameter(plain, [](auto, auto&) {});
}
