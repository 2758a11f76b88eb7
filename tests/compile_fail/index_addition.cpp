// expect: index_put\(x, \{index\}, value, true\) for \+=
#include <sinter/trace/ops/index/index.hpp>

using namespace sinter;

void add_to(Tensor x) { x[{0, all}] += 1; }
