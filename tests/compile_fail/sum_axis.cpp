// expect: sinter::sum<axes...>\(x\) requires -x.ndim\(\) <= axis < x.ndim\(\)
#include <sinter/trace/ops/typed/reduce.hpp>

using namespace sinter;

auto rows(TensorOf<float, "batch", 64> x) { return sum<2>(x); }
