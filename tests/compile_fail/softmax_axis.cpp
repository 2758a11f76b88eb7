// expect: sinter::softmax<axis>\(x\) requires -x.ndim\(\) <= axis < x.ndim\(\)
#include <sinter/trace/functional/row.hpp>

using namespace sinter;

auto shares(TensorOf<float, "batch", 64> x) { return softmax<2>(x); }
