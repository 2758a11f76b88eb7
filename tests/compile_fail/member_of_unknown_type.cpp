// expect: no module can have this member
#include <sinter/trace/module/parameter.hpp>

struct Table {
  int rows = 0;
};

struct Block {
  sinter::Tensor weight;
  Table table;
  SINTER_MODULE(Block, weight, table)
};

void visit(Block& block) {
  sinter::nn::for_each_parameter(block, [](auto, auto&) {});
}
